import { CALLER_SAMPLE_RATE } from '../../../media/audio/pcm.js';
import type { CallInputEvent, CallObserver, TransportEvent } from '../../contract/call-observer.js';
import { AgentTrack } from './agent-track.js';
import { CallerTrack } from './caller-track.js';
import type { RecordingSink } from './recording-sink.js';

/** Interval at which audio is passed to the sink. A crash loses less than a second, with the audio not yet placed. */
const WRITE_INTERVAL_MS = 250;

export interface CallRecorderOptions {
  /** Sample rate of the agent's audio, in Hz. */
  readonly sampleRate: number;
  /** As in `Transport`. Default: 0. */
  readonly callerDelayMs?: number | undefined;
  readonly sink: RecordingSink;
}

/** Records both legs of a call on one timeline, which starts when media is connected. It only copies samples. */
export class CallRecorder implements CallObserver {
  readonly #sink: RecordingSink;
  readonly #caller: CallerTrack;
  readonly #agent: AgentTrack;
  /** Call time of the newest event; undefined before media is connected. */
  #seenMs: number | undefined;
  #nowMs = 0;
  #writtenMs = 0;
  #receivedMs = 0;
  #hasEnded = false;

  constructor({ sampleRate, callerDelayMs, sink }: CallRecorderOptions) {
    this.#sink = sink;
    this.#caller = new CallerTrack(CALLER_SAMPLE_RATE, callerDelayMs);
    this.#agent = new AgentTrack(sampleRate);
  }

  input(event: CallInputEvent, atMs: number): void {
    if (event.type === 'connected') this.#seenMs ??= atMs;
    if (this.#seenMs === undefined || this.#hasEnded) return;
    const nowMs = this.#advance(atMs);
    switch (event.type) {
      case 'audio':
        this.#caller.push(event.samples, nowMs);
        break;
      case 'played':
        this.#agent.played(event.playedMs, nowMs);
        break;
      case 'lost':
        this.#agent.lost();
        break;
      case 'regained':
        this.#receivedMs = event.receivedMs;
    }
    if (nowMs - this.#writtenMs >= WRITE_INTERVAL_MS) this.#write();
  }

  output(event: TransportEvent, atMs: number): void {
    if (event.type === 'close') this.#end(this.#advance(atMs));
    if (this.#seenMs === undefined || this.#hasEnded) return;
    const nowMs = this.#advance(atMs);
    switch (event.type) {
      case 'audio':
        this.#agent.sent(event.samples, nowMs);
        break;
      case 'pause':
        this.#agent.paused(nowMs);
        break;
      case 'resume':
        this.#agent.resumed(event.fromMs, nowMs);
        break;
      case 'clear':
        this.#agent.cleared(nowMs);
        break;
      case 'announce':
        this.#agent.regained(this.#receivedMs, event.fromMs);
    }
  }

  /** For a call that ended before its transport was closed. */
  ended(): void {
    this.#end(this.#nowMs);
  }

  /** Ms since media was connected. If the clock steps back, this time stands still for that step. */
  #advance(atMs: number): number {
    if (this.#seenMs === undefined) return 0;
    this.#nowMs += Math.max(0, atMs - this.#seenMs);
    this.#seenMs = atMs;
    return this.#nowMs;
  }

  #write(): void {
    this.#writtenMs = this.#nowMs;
    this.#caller.settle(this.#nowMs);
    this.#agent.settle(this.#nowMs);
    this.#passOn();
  }

  #passOn(): void {
    const chunks = [...this.#caller.track.take(), ...this.#agent.track.take()];
    if (chunks.length > 0) this.#sink.write(chunks);
  }

  #end(nowMs: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#caller.settle(nowMs, true);
    this.#agent.finish(nowMs);
    this.#passOn();
    this.#sink.end(nowMs);
  }
}
