import {
  DisconnectReason,
  ParticipantKind,
  type RemoteParticipant,
  Room,
  RoomEvent,
} from '@livekit/rtc-node';
import type { Clock } from '../../../contract/clock.js';
import type { FromBridge, RoomEnd, ToBridge } from '../ipc-messages.js';
import type { RoomCaller } from '../room-transport.js';
import { RoomAgentTrack } from './agent-track.js';
import { AnswerDetector } from './answer-detector.js';
import { RoomCallerTrack } from './caller-track.js';
import { ChatInput } from './chat-input.js';
import { MAX_PRECONNECT_BYTES, PRECONNECT_AUDIO_TOPIC } from './preconnect-audio.js';
import { RoomDtmfSender } from './room-dtmf-sender.js';
import { CHAT_TOPIC, RoomTranscription } from './room-transcription.js';

/** A caller is waited for so long. */
const CALLER_WAIT_MS = 15_000;
/** What was told last is sent within this, or not at all. */
const LAST_WORDS_MS = 1_000;
/** A server that is gone is not waited for when a room is left. */
const LEAVING_MS = 4_000;
/** Of a participant's attributes, so many characters are handed on. */
const MAX_ATTRIBUTES = 16_384;

/** Why a participant is gone for good; for other reasons they may come back. */
const GONE: ReadonlyMap<DisconnectReason | undefined, RoomEnd> = new Map([
  [DisconnectReason.CLIENT_INITIATED, 'user_hangup'],
  [DisconnectReason.USER_UNAVAILABLE, 'user_hangup'],
  [DisconnectReason.USER_REJECTED, 'user_hangup'],
  [DisconnectReason.PARTICIPANT_REMOVED, 'operator_ended'],
  [DisconnectReason.ROOM_DELETED, 'operator_ended'],
]);

export interface BridgeRoomOptions {
  readonly clock: Clock;
  readonly tell: (message: FromBridge) => void;
  /** The caller's audio, mono 16 kHz; the receiver owns it. */
  readonly onAudio: (samples: Int16Array) => void;
}

/** One room, as a bridge process holds it: the agent in it, and the one participant whom it serves. */
export class BridgeRoom {
  readonly #options: BridgeRoomOptions;
  readonly #room = new Room();
  readonly #voice: RoomAgentTrack;
  readonly #sound: RoomCallerTrack;
  readonly #texts: RoomTranscription;
  readonly #typed: ChatInput;
  readonly #keys: RoomDtmfSender;
  #wanted: string | undefined;
  #caller: RoomCaller | undefined;
  #answerDetector: AnswerDetector | undefined;
  #isAway = false;
  #isOver = false;
  #isPublished = false;

  constructor(options: BridgeRoomOptions) {
    this.#options = options;
    const { clock, tell, onAudio } = options;
    this.#voice = new RoomAgentTrack(clock, (playedMs) => tell({ type: 'played', playedMs }));
    this.#sound = new RoomCallerTrack({ clock, onAudio });
    this.#typed = new ChatInput(clock);
    this.#keys = new RoomDtmfSender(clock, (code, digit) => this.#agent.publishDtmf(code, digit));
    this.#texts = new RoomTranscription(() => ({
      agent: this.#agent,
      agentTrackSid: this.#voice.trackSid,
      callerIdentity: this.#caller?.identity,
      callerTrackSid: this.#sound.trackSid,
    }));
  }

  /** Handles what the gateway says about this room. */
  handle(message: ToBridge): void {
    const { player } = this.#voice;
    switch (message.type) {
      case 'join':
        this.#join(message).catch((error) => this.#end('error_transport', errorSummary(error)));
        return;
      case 'pause':
        player.pause();
        return;
      case 'resume':
        player.resume(message.fromMs);
        return;
      case 'clear':
        player.clear();
        return;
      case 'seek':
        player.seek(message.atMs);
        return;
      case 'tell':
        if (!this.#isOver) this.#texts.tell(message.event);
        return;
      case 'keys':
        if (!this.#isOver) this.#keys.press(message.keys);
        return;
      case 'leave':
        void this.#leave();
    }
  }

  /** The agent's audio. */
  audio(samples: Int16Array): void {
    this.#voice.player.audio(samples);
  }

  get #agent() {
    const { localParticipant } = this.#room;
    if (!localParticipant) throw new Error('The room is not joined');
    return localParticipant;
  }

  async #join({ url, token, callerIdentity }: Extract<ToBridge, { type: 'join' }>): Promise<void> {
    this.#wanted = callerIdentity;
    this.#listen();
    await this.#room.connect(url, token, {
      autoSubscribe: false,
      dynacast: false,
      dataStream: { maxPayloadByteLength: MAX_PRECONNECT_BYTES },
    });
    if (!this.#isOver) await this.#voice.publish(this.#agent);
    // Given up meanwhile: nobody else would take the agent out again.
    if (this.#isOver) return this.#room.disconnect();
    this.#isPublished = true;
    this.#options.clock.after(CALLER_WAIT_MS, () => {
      if (!this.#caller) this.#end('user_hangup', 'nobody came');
    });
    for (const participant of this.#room.remoteParticipants.values()) this.#meet(participant);
  }

  #listen(): void {
    const room = this.#room;
    const isCaller = (participant?: { readonly identity: string }) =>
      this.#caller !== undefined && participant?.identity === this.#caller.identity;
    room.on(RoomEvent.ParticipantConnected, (participant) => this.#meet(participant));
    room.on(RoomEvent.ParticipantDisconnected, (participant) => {
      if (isCaller(participant)) this.#onCallerGone(participant.disconnectReason);
    });
    room.on(RoomEvent.TrackPublished, (publication, participant) => {
      if (isCaller(participant)) this.#sound.published(publication);
    });
    room.on(RoomEvent.TrackSubscribed, (track, _publication, participant) => {
      if (isCaller(participant)) this.#sound.subscribed(track);
    });
    room.on(RoomEvent.DtmfReceived, (_code, digit, participant) => {
      // Letters come in either case.
      const key = digit.slice(0, 1).toUpperCase();
      if (isCaller(participant)) this.#options.tell({ type: 'dtmf', digit: key });
    });
    room.on(RoomEvent.ParticipantAttributesChanged, (_changed, participant) => {
      if (isCaller(participant)) this.#answerDetector?.changed(participant.attributes);
    });
    room.on(RoomEvent.Reconnecting, () => this.#lose());
    room.on(RoomEvent.Reconnected, () => {
      if (this.#caller && room.remoteParticipants.has(this.#caller.identity)) this.#regain();
    });
    room.on(RoomEvent.Disconnected, (reason) =>
      this.#end(GONE.get(reason) ?? 'error_transport', `disconnected (${reason})`),
    );
    room.registerTextStreamHandler(CHAT_TOPIC, (stream, sender) => {
      if (!isCaller(sender)) void stream.close();
      else this.#read(stream).catch(() => undefined);
    });
    room.registerByteStreamHandler(PRECONNECT_AUDIO_TOPIC, (stream, sender) => {
      if (!isCaller(sender)) void stream.close();
      else this.#sound.early(stream).catch(() => undefined);
    });
  }

  async #read(stream: Parameters<ChatInput['read']>[0]): Promise<void> {
    const text = await this.#typed.read(stream);
    if (text === undefined || this.#isOver) return;
    this.#texts.typed();
    this.#options.tell({ type: 'typed', text });
  }

  /** The first participant that is no agent is served, all others only listen. */
  #meet(participant: RemoteParticipant): void {
    if (!this.#isPublished || this.#isOver) return;
    if (this.#caller) {
      this.#texts.tellAgain();
      if (participant.identity !== this.#caller.identity) return;
      this.#sound.want(participant);
      this.#regain();
      return;
    }
    const { identity, kind } = participant;
    const isPhone = kind === ParticipantKind.SIP;
    if (kind !== ParticipantKind.STANDARD && !isPhone) return;
    if (this.#wanted !== undefined && identity !== this.#wanted) return;
    const isTooMuch = JSON.stringify(participant.attributes).length > MAX_ATTRIBUTES;
    this.#caller = { identity, isPhone, attributes: isTooMuch ? {} : participant.attributes };
    this.#sound.want(participant);
    this.#texts.tell({ type: 'state', state: 'initializing' });
    this.#options.tell({ type: 'joined', caller: this.#caller });
    this.#answerDetector = new AnswerDetector({
      clock: this.#options.clock,
      attributes: isPhone ? participant.attributes : {},
      taken: this.#voice.taken,
      onOpen: () => this.#options.tell({ type: 'hears' }),
    });
  }

  #onCallerGone(reason: DisconnectReason | undefined): void {
    const end = GONE.get(reason) ?? (this.#caller?.isPhone ? 'user_hangup' : undefined);
    if (end) this.#end(end, `the caller left (${reason})`);
    else this.#lose();
  }

  #lose(): void {
    if (this.#isAway || this.#isOver || !this.#caller) return;
    this.#isAway = true;
    this.#voice.player.lose();
    this.#options.tell({ type: 'lost' });
  }

  #regain(): void {
    if (!this.#isAway || this.#isOver) return;
    this.#isAway = false;
    this.#options.tell({ type: 'regained', playedMs: this.#voice.player.playedMs });
  }

  #end(reason: RoomEnd, why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.tell({ type: 'over', reason, why });
    void this.#close();
  }

  /** What has been said and told last still gets there. */
  async #leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const limit = new Promise<void>((resolve) => this.#options.clock.after(LAST_WORDS_MS, resolve));
    await Promise.race([Promise.all([this.#texts.sent(), this.#voice.finished()]), limit]);
    await this.#close();
  }

  async #close(): Promise<void> {
    this.#sound.close();
    this.#answerDetector?.close();
    this.#keys.close();
    const leaving = this.#voice.close().then(() => this.#room.disconnect());
    const limit = new Promise<void>((resolve) => this.#options.clock.after(LEAVING_MS, resolve));
    // Whatever it says: the room is left.
    await Promise.race([leaving.catch(() => undefined), limit]);
    this.#room.removeAllListeners();
    this.#options.tell({ type: 'left' });
  }
}

/** What went wrong, in short. */
export function errorSummary(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.slice(0, 200)}` : 'unknown';
}
