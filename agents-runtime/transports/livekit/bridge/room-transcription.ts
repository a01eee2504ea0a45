import type { LocalParticipant } from '@livekit/rtc-node';
import { putNewest } from '../../../../media/async/bounded-map.js';
import type { CallEvent } from '../../../contract/transport.js';

/** Source: LiveKit's documentation, "Text and transcriptions". */
const TRANSCRIPTION_TOPIC = 'lk.transcription';
export const CHAT_TOPIC = 'lk.chat';
/** The attribute from which LiveKit's components read the agent's state. */
const STATE_ATTRIBUTE = 'lk.agent.state';
/** Queued messages. Only the newest message of a segment is queued. */
const MAX_WAITING = 100;

type Transcript = Extract<CallEvent, { type: 'transcript' }>;

/** The participants and tracks that transcripts refer to. */
export interface Speakers {
  readonly agent: LocalParticipant;
  readonly agentTrackSid: string | undefined;
  readonly callerIdentity: string | undefined;
  readonly callerTrackSid: string | undefined;
}

/**
 * Publishes transcripts in a room, in both formats that clients read, and the agent's state. Messages are sent one
 * after the other, in order.
 */
export class RoomTranscription {
  readonly #speakers: () => Speakers;
  readonly #waiting = new Map<string, () => Promise<unknown>>();
  #sending: Promise<void> | undefined;
  #state: Extract<CallEvent, { type: 'state' }> | undefined;
  #count = 0;
  /** The agent's newest utterance, and the one that was the newest when the caller typed. */
  #utterance = '';
  #typedAfter: string | undefined;

  constructor(speakers: () => Speakers) {
    this.#speakers = speakers;
  }

  send(event: CallEvent): void {
    switch (event.type) {
      case 'transcript':
        this.#transcript(event);
        return;
      case 'state':
        this.#state = event;
        this.#sendState(event);
        return;
      default:
        this.#put(`event ${this.#count++}`, () => this.#data(event));
    }
  }

  /** Repeats the agent's state for a participant who has joined. */
  repeatState(): void {
    if (this.#state) this.#sendState(this.#state);
  }

  /** The caller typed a text: the answer is sent as text, too. */
  typed(): void {
    this.#typedAfter = this.#utterance;
  }

  /** Resolves when all messages have been sent. */
  async sent(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  #transcript(event: Transcript): void {
    this.#put(event.segment, () => this.#sendTranscript(event));
    if (event.role !== 'agent') return;
    this.#utterance = event.segment;
    const isAnswer = this.#typedAfter !== undefined && event.segment !== this.#typedAfter;
    if (!isAnswer || !event.final || event.text === '') return;
    this.#typedAfter = undefined;
    const { agent } = this.#speakers();
    this.#put(`chat ${event.segment}`, () => agent.sendText(event.text, { topic: CHAT_TOPIC }));
  }

  #sendState(event: Extract<CallEvent, { type: 'state' }>): void {
    const { agent } = this.#speakers();
    this.#put(`event ${this.#count++}`, () =>
      this.#data({ type: 'agent_state', state: event.state }),
    );
    this.#put('attribute', () => agent.setAttributes({ [STATE_ATTRIBUTE]: event.state }));
  }

  #data(message: object): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify(message));
    return this.#speakers().agent.publishData(bytes, { reliable: true });
  }

  async #sendTranscript({ segment, role, text, final, startMs, endMs }: Transcript) {
    const { agent, agentTrackSid, callerIdentity, callerTrackSid } = this.#speakers();
    const identity = role === 'agent' ? agent.identity : (callerIdentity ?? '');
    const trackSid = (role === 'agent' ? agentTrackSid : callerTrackSid) ?? '';
    const times = {
      startTime: BigInt(Math.max(0, Math.round(startMs))),
      endTime: BigInt(Math.max(0, Math.round(endMs))),
    };
    // Not for a caller without a microphone: LiveKit's native clients crash on a packet without a track.
    if (trackSid !== '') {
      await agent.publishTranscription({
        participantIdentity: identity,
        trackSid,
        segments: [{ id: segment, text, final, language: '', ...times }],
      });
    }
    const stream = await agent.streamText({
      topic: TRANSCRIPTION_TOPIC,
      senderIdentity: identity,
      attributes: {
        'lk.segment_id': segment,
        'lk.transcription_final': String(final),
        'lk.transcribed_track_id': trackSid,
      },
    });
    if (text !== '') await stream.write(text);
    await stream.close();
  }

  #put(key: string, send: () => Promise<unknown>): void {
    // Moves to the end: a final transcript must not overtake an earlier message.
    putNewest(this.#waiting, key, send, MAX_WAITING);
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    // Lets the caller store the promise before the loop can end.
    await Promise.resolve();
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const [key, send] = next;
      this.#waiting.delete(key);
      try {
        await send();
      } catch {
        // Dropped: another message reports the end of the room.
      }
    }
    this.#sending = undefined;
  }
}
