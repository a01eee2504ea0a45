import { CALLER_SAMPLE_RATE } from '../../../media/audio/pcm.js';
import type {
  CallInputEvent,
  CallObserver,
  PlayedSpan,
  TransportEvent,
} from '../../contract/call-observer.js';
import { AudioTrack } from './audio-track.js';
import { CallerTrack } from './caller-track.js';
import type { RecordingSink } from './recording-sink.js';

/** Interval at which audio is passed to the sink. With audio that is not settled, a crash loses less than a second. */
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
  readonly #agent: AudioTrack;
  /** Call time of the newest event; undefined before media is connected. */
  #newestCallMs: number | undefined;
  /** Time since media was connected. */
  #recordingMs = 0;
  #writtenMs = 0;
  #hasEnded = false;

  constructor({ sampleRate, callerDelayMs, sink }: CallRecorderOptions) {
    this.#sink = sink;
    this.#caller = new CallerTrack(CALLER_SAMPLE_RATE, callerDelayMs);
    this.#agent = new AudioTrack('agent', sampleRate);
  }

  input(event: CallInputEvent, atMs: number): void {
    if (event.type === 'connected') this.#newestCallMs ??= atMs;
    if (event.type !== 'audio' || this.#newestCallMs === undefined || this.#hasEnded) return;
    this.#advance(atMs);
    this.#caller.push(event.samples, this.#recordingMs);
    if (this.#recordingMs - this.#writtenMs < WRITE_INTERVAL_MS) return;
    this.#writtenMs = this.#recordingMs;
    this.#caller.settle(this.#recordingMs);
    this.#write();
  }

  played({ startMs, samples }: PlayedSpan): void {
    if (this.#newestCallMs === undefined || this.#hasEnded) return;
    this.#agent.place(Math.max(0, startMs - this.#newestCallMs + this.#recordingMs), samples);
  }

  output(event: TransportEvent, atMs: number): void {
    if (event.type !== 'close') return;
    this.#advance(atMs);
    this.#end();
  }

  /** For a call that ended before its transport was closed. */
  ended(): void {
    this.#end();
  }

  /** Sets the time since media was connected. If the clock steps back, the time does not change. */
  #advance(atMs: number): void {
    if (this.#newestCallMs === undefined) return;
    this.#recordingMs += Math.max(0, atMs - this.#newestCallMs);
    this.#newestCallMs = atMs;
  }

  #write(): void {
    const chunks = [...this.#caller.track.take(), ...this.#agent.take()];
    if (chunks.length > 0) this.#sink.write(chunks);
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#caller.settle(this.#recordingMs, true);
    this.#write();
    this.#sink.end(this.#recordingMs);
  }
}
