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

/** Longest wait for the caller to join. */
const CALLER_WAIT_MS = 15_000;
/** Time for the last audio and events before the room is left. */
const MAX_DRAIN_MS = 1_000;
/** Longest wait for the server when a room is left. */
const LEAVING_MS = 4_000;
/** Characters of a participant's attributes. Larger ones are dropped. */
const MAX_ATTRIBUTES = 16_384;

/** Reasons for which a participant does not return. */
const GONE: ReadonlyMap<DisconnectReason | undefined, RoomEnd> = new Map([
  [DisconnectReason.CLIENT_INITIATED, 'user_hangup'],
  [DisconnectReason.USER_UNAVAILABLE, 'user_hangup'],
  [DisconnectReason.USER_REJECTED, 'user_hangup'],
  [DisconnectReason.PARTICIPANT_REMOVED, 'operator_ended'],
  [DisconnectReason.ROOM_DELETED, 'operator_ended'],
]);

export interface BridgeRoomOptions {
  readonly clock: Clock;
  readonly send: (message: FromBridge) => void;
  /** Receives and owns the caller's audio, mono 16 kHz. */
  readonly onAudio: (samples: Int16Array) => void;
}

/** One room in a bridge process: the agent and the one participant whom it serves. */
export class BridgeRoom {
  readonly #options: BridgeRoomOptions;
  readonly #room = new Room();
  readonly #agentTrack: RoomAgentTrack;
  readonly #callerTrack: RoomCallerTrack;
  readonly #transcription: RoomTranscription;
  readonly #chatInput: ChatInput;
  readonly #dtmfSender: RoomDtmfSender;
  #callerIdentity: string | undefined;
  #caller: RoomCaller | undefined;
  #answerDetector: AnswerDetector | undefined;
  #isAway = false;
  #isOver = false;
  #isPublished = false;

  constructor(options: BridgeRoomOptions) {
    this.#options = options;
    const { clock, send, onAudio } = options;
    this.#agentTrack = new RoomAgentTrack(clock, (playedMs) => send({ type: 'played', playedMs }));
    this.#callerTrack = new RoomCallerTrack({ clock, onAudio });
    this.#chatInput = new ChatInput(clock);
    this.#dtmfSender = new RoomDtmfSender(clock, (code, digit) =>
      this.#agent.publishDtmf(code, digit),
    );
    this.#transcription = new RoomTranscription(() => ({
      agent: this.#agent,
      agentTrackSid: this.#agentTrack.trackSid,
      callerIdentity: this.#caller?.identity,
      callerTrackSid: this.#callerTrack.trackSid,
    }));
  }

  /** Handles a message of the gateway. */
  handle(message: ToBridge): void {
    const { player } = this.#agentTrack;
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
        player.seek(message.positionMs);
        return;
      case 'event':
        if (!this.#isOver) this.#transcription.send(message.event);
        return;
      case 'keys':
        if (!this.#isOver) this.#dtmfSender.press(message.keys);
        return;
      case 'leave':
        void this.#leave();
    }
  }

  /** The agent's audio. */
  audio(samples: Int16Array): void {
    this.#agentTrack.player.audio(samples);
  }

  get #agent() {
    const { localParticipant } = this.#room;
    if (!localParticipant) throw new Error('The room is not joined');
    return localParticipant;
  }

  async #join({ url, token, callerIdentity }: Extract<ToBridge, { type: 'join' }>): Promise<void> {
    this.#callerIdentity = callerIdentity;
    this.#listen();
    await this.#room.connect(url, token, {
      autoSubscribe: false,
      dynacast: false,
      dataStream: { maxPayloadByteLength: MAX_PRECONNECT_BYTES },
    });
    if (!this.#isOver) await this.#agentTrack.publish(this.#agent);
    // The room ended during the join.
    if (this.#isOver) return this.#room.disconnect();
    this.#isPublished = true;
    this.#options.clock.after(CALLER_WAIT_MS, () => {
      if (!this.#caller) this.#end('user_hangup', 'nobody came');
    });
    for (const participant of this.#room.remoteParticipants.values())
      this.#onParticipant(participant);
  }

  #listen(): void {
    const room = this.#room;
    const isCaller = (participant?: { readonly identity: string }) =>
      this.#caller !== undefined && participant?.identity === this.#caller.identity;
    room.on(RoomEvent.ParticipantConnected, (participant) => this.#onParticipant(participant));
    room.on(RoomEvent.ParticipantDisconnected, (participant) => {
      if (isCaller(participant)) this.#onCallerGone(participant.disconnectReason);
    });
    room.on(RoomEvent.TrackPublished, (publication, participant) => {
      if (isCaller(participant)) this.#callerTrack.published(publication);
    });
    room.on(RoomEvent.TrackSubscribed, (track, _publication, participant) => {
      if (isCaller(participant)) this.#callerTrack.subscribed(track);
    });
    room.on(RoomEvent.DtmfReceived, (_code, digit, participant) => {
      // Letters arrive in either case.
      const key = digit.slice(0, 1).toUpperCase();
      if (isCaller(participant)) this.#options.send({ type: 'dtmf', digit: key });
    });
    room.on(RoomEvent.ParticipantAttributesChanged, (_changed, participant) => {
      if (isCaller(participant)) this.#answerDetector?.changed(participant.attributes);
    });
    room.on(RoomEvent.Reconnecting, () => this.#onCallerLost());
    room.on(RoomEvent.Reconnected, () => {
      if (this.#caller && room.remoteParticipants.has(this.#caller.identity))
        this.#onCallerRegained();
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
      else this.#callerTrack.early(stream).catch(() => undefined);
    });
  }

  async #read(stream: Parameters<ChatInput['read']>[0]): Promise<void> {
    const text = await this.#chatInput.read(stream);
    if (text === undefined || this.#isOver) return;
    this.#transcription.typed();
    this.#options.send({ type: 'typed', text });
  }

  /** The first participant that is not an agent is the caller. All others only listen. */
  #onParticipant(participant: RemoteParticipant): void {
    if (!this.#isPublished || this.#isOver) return;
    if (this.#caller) {
      this.#transcription.repeatState();
      if (participant.identity !== this.#caller.identity) return;
      this.#callerTrack.want(participant);
      this.#onCallerRegained();
      return;
    }
    const { identity, kind } = participant;
    const isPhone = kind === ParticipantKind.SIP;
    if (kind !== ParticipantKind.STANDARD && !isPhone) return;
    if (this.#callerIdentity !== undefined && identity !== this.#callerIdentity) return;
    const isTooMuch = JSON.stringify(participant.attributes).length > MAX_ATTRIBUTES;
    this.#caller = { identity, isPhone, attributes: isTooMuch ? {} : participant.attributes };
    this.#callerTrack.want(participant);
    this.#transcription.send({ type: 'state', state: 'initializing' });
    this.#options.send({ type: 'joined', caller: this.#caller });
    this.#answerDetector = new AnswerDetector({
      clock: this.#options.clock,
      attributes: isPhone ? participant.attributes : {},
      subscribed: this.#agentTrack.subscribed,
      onOpen: () => this.#options.send({ type: 'caller-subscribed' }),
    });
  }

  #onCallerGone(reason: DisconnectReason | undefined): void {
    const end = GONE.get(reason) ?? (this.#caller?.isPhone ? 'user_hangup' : undefined);
    if (end) this.#end(end, `the caller left (${reason})`);
    else this.#onCallerLost();
  }

  #onCallerLost(): void {
    if (this.#isAway || this.#isOver || !this.#caller) return;
    this.#isAway = true;
    this.#agentTrack.player.lose();
    this.#options.send({ type: 'lost' });
  }

  #onCallerRegained(): void {
    if (!this.#isAway || this.#isOver) return;
    this.#isAway = false;
    this.#options.send({ type: 'regained', playedMs: this.#agentTrack.player.playedMs });
  }

  #end(reason: RoomEnd, why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.send({ type: 'ended', reason, why });
    void this.#close();
  }

  /** Leaves after the last audio and events have been delivered. */
  async #leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const limit = new Promise<void>((resolve) => this.#options.clock.after(MAX_DRAIN_MS, resolve));
    await Promise.race([
      Promise.all([this.#transcription.sent(), this.#agentTrack.finished()]),
      limit,
    ]);
    await this.#close();
  }

  async #close(): Promise<void> {
    this.#callerTrack.close();
    this.#answerDetector?.close();
    this.#dtmfSender.close();
    const leaving = this.#agentTrack.close().then(() => this.#room.disconnect());
    const limit = new Promise<void>((resolve) => this.#options.clock.after(LEAVING_MS, resolve));
    // The room is left even if the server does not respond.
    await Promise.race([leaving.catch(() => undefined), limit]);
    this.#room.removeAllListeners();
    this.#options.send({ type: 'left' });
  }
}

export function errorSummary(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.slice(0, 200)}` : 'unknown';
}
