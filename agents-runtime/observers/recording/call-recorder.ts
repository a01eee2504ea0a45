import { CALLER_SAMPLE_RATE } from '../../../media/audio/pcm.js';
import type { Clock, Timer } from '../../contract/clock.js';
import type { CallInput, Transport } from '../../contract/transport.js';
import { ObservedTransport } from '../../session/observed-transport.js';
import { AgentTrack } from './agent-track.js';
import { CallerTrack } from './caller-track.js';
import type { RecordingSink } from './recording-sink.js';

/** So often sound is handed on. With what is held back, a crash costs less than a second. */
const HAND_ON_MS = 250;

export interface CallRecorderParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sink: RecordingSink;
}

/**
 * Records what passes over a call's wire, both legs on one line of time: it stands between the wire and
 * the call and lets everything through. On the thread of the calls it copies samples, no more.
 */
export class CallRecorder extends ObservedTransport {
  readonly #clock: Clock;
  readonly #sink: RecordingSink;
  readonly #caller: CallerTrack;
  readonly #agent: AgentTrack;
  /** Clock time of the last look at it; undefined before media is connected. */
  #lookedAt: number | undefined;
  #nowMs = 0;
  #timer: Timer | undefined;
  #isOver = false;

  constructor({ transport, clock, sink }: CallRecorderParts) {
    super(transport);
    this.#clock = clock;
    this.#sink = sink;
    this.#caller = new CallerTrack(CALLER_SAMPLE_RATE, transport.callerDelayMs);
    this.#agent = new AgentTrack(transport.sampleRate);
  }

  /** The call as its wire shall see it. @param call has this recorder for its wire. */
  input(call: CallInput): CallInput {
    return {
      connected: () => {
        this.#begin();
        call.connected();
      },
      audio: (samples) => {
        if (this.#isRunning) this.#caller.push(samples, this.#now());
        call.audio(samples);
      },
      typed: (text) => call.typed(text),
      say: (text) => call.say(text),
      played: (playedMs) => {
        if (this.#isRunning) this.#agent.played(playedMs, this.#now());
        call.played(playedMs);
      },
      lost: (forMs) => {
        this.#agent.lost();
        call.lost(forMs);
      },
      regained: (receivedMs, announce) => {
        call.regained(receivedMs, (fromMs) => {
          this.#agent.regained(receivedMs, fromMs);
          announce(fromMs);
        });
      },
      hangUp: (reason) => call.hangUp(reason),
    };
  }

  override audio(samples: Float32Array): void {
    if (this.#isRunning) this.#agent.sent(samples, this.#now());
    super.audio(samples);
  }

  override pause(): void {
    this.#agent.paused(this.#now());
    super.pause();
  }

  override resumeFrom(fromMs: number): void {
    this.#agent.resumed(fromMs, this.#now());
    super.resumeFrom(fromMs);
  }

  override clear(): void {
    this.#agent.cleared(this.#now());
    super.clear();
  }

  override close(): void {
    this.#end();
    super.close();
  }

  get #isRunning(): boolean {
    return this.#lookedAt !== undefined && !this.#isOver;
  }

  /** Ms since media was connected; a clock that steps back stands still for a moment. */
  #now(): number {
    if (this.#lookedAt === undefined) return 0;
    const clockMs = this.#clock.now();
    this.#nowMs += Math.max(0, clockMs - this.#lookedAt);
    this.#lookedAt = clockMs;
    return this.#nowMs;
  }

  #begin(): void {
    if (this.#lookedAt !== undefined || this.#isOver) return;
    this.#lookedAt = this.#clock.now();
    this.#schedule();
  }

  #schedule(): void {
    this.#timer = this.#clock.after(HAND_ON_MS, () => {
      this.#schedule();
      const now = this.#now();
      this.#caller.settle(now);
      this.#agent.settle(now);
      this.#handOn();
    });
  }

  #handOn(): void {
    const pieces = [...this.#caller.track.take(), ...this.#agent.track.take()];
    if (pieces.length > 0) this.#sink.write(pieces);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    const now = this.#now();
    this.#caller.settle(now, true);
    this.#agent.finish(now);
    this.#handOn();
    this.#sink.end(now);
  }
}
