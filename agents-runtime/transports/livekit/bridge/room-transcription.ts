import type { LocalParticipant } from '@livekit/rtc-node';
import { putNewest } from '../../../../media/async/bounded-map.js';
import type { CallEvent } from '../../../contract/transport.js';

/** Source: LiveKit's documentation, "Text and transcriptions". */
const TRANSCRIPTION_TOPIC = 'lk.transcription';
export const CHAT_TOPIC = 'lk.chat';
/** What components of LiveKit's own read the agent's state from. */
const STATE_ATTRIBUTE = 'lk.agent.state';
/** Texts that wait to be sent; of one segment only the newest waits. */
const MAX_WAITING = 100;

type Transcript = Extract<CallEvent, { type: 'transcript' }>;

/** Whose words are whose in a room. */
export interface Speakers {
  readonly agent: LocalParticipant;
  readonly agentTrackSid: string | undefined;
  readonly callerIdentity: string | undefined;
  readonly callerTrackSid: string | undefined;
}

/**
 * Tells a room what is said, in both of the ways that clients read, and what the agent does: one text
 * after the other, so that none overtakes another.
 */
export class RoomTranscription {
  readonly #speakers: () => Speakers;
  readonly #waiting = new Map<string, () => Promise<unknown>>();
  #sending: Promise<void> | undefined;
  #state: Extract<CallEvent, { type: 'state' }> | undefined;
  #count = 0;
  /** The agent's newest utterance, and the one after which the next is an answer to what was typed. */
  #utterance = '';
  #typedAfter: string | undefined;

  constructor(speakers: () => Speakers) {
    this.#speakers = speakers;
  }

  tell(event: CallEvent): void {
    switch (event.type) {
      case 'transcript':
        this.#transcript(event);
        return;
      case 'state':
        this.#state = event;
        this.#tellState(event);
        return;
      default:
        this.#put(`event ${this.#count++}`, () => this.#data(event));
    }
  }

  /** Somebody came who has not heard what the agent is doing. */
  tellAgain(): void {
    if (this.#state) this.#tellState(this.#state);
  }

  /** The caller wrote: the answer is written too. */
  typed(): void {
    this.#typedAfter = this.#utterance;
  }

  /** Resolves when all that was told has been sent. */
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

  #tellState(event: Extract<CallEvent, { type: 'state' }>): void {
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
    // Of a caller without a microphone there is no such packet: LiveKit's native clients die of one
    // that names no track.
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
    // Its place is that of the newest: what is final must not be told before what it follows.
    putNewest(this.#waiting, key, send, MAX_WAITING);
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    // Whoever asked keeps the promise before the loop can be over.
    await Promise.resolve();
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const [key, send] = next;
      this.#waiting.delete(key);
      try {
        await send();
      } catch {
        // It is left out: that a room is over is told elsewhere.
      }
    }
    this.#sending = undefined;
  }
}
