import { CallRecorder } from '../../../../agents-runtime/observers/recording/call-recorder.js';
import type { RecordingSink } from '../../../../agents-runtime/observers/recording/recording-sink.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import type { Leg } from '../../../../media/recording/spool-record.js';
import type { AudioChunk } from '../../../../media/recording/spool-writer.js';
import { VOICE_RATE } from '../../fakes/virtual-client.js';
import { type HarnessOptions, harness } from './call-harness.js';

/** A sink in memory. */
export class KeptSound implements RecordingSink {
  readonly pieces: AudioChunk[] = [];
  durationMs: number | undefined;

  write(pieces: readonly AudioChunk[]): void {
    this.pieces.push(...pieces);
  }

  end(durationMs: number): void {
    this.durationMs = durationMs;
  }

  of(leg: Leg): readonly AudioChunk[] {
    return this.pieces.filter((piece) => piece.leg === leg);
  }
}

/** One sample that a client heard, or that was recorded. */
export interface TimedSample {
  /** Tells it from all others. */
  readonly value: number;
  readonly atMs: number;
}

/** The harness with a recorder on its wire, and when its client heard what. */
export function recordedHarness(options: HarnessOptions = {}) {
  const sink = new KeptSound();
  const kit = harness({
    // Values that 16 bit hold exactly. They repeat after 2.5 s.
    sampleAt: (n) => ((n % 60_000) - 30_000) / 32_768,
    ...options,
    begin: (parts) => {
      const { sampleRate } = parts.transport;
      return new Call({ ...parts, observers: [new CallRecorder({ sampleRate, sink })] });
    },
  });
  const heard: TimedSample[] = [];
  const { clock, transport } = kit;
  // The client plays every 20 ms what it plays in 20 ms; it can only be told of as late as its reports.
  const look = () => {
    const fresh = transport.heard.slice(heard.length);
    const from = clock.now() - (fresh.length * 1000) / VOICE_RATE + (options.wayMs ?? 0);
    fresh.forEach((value, i) => {
      heard.push({ value, atMs: from + (i * 1000) / VOICE_RATE });
    });
    clock.after(20, look);
  };
  clock.after(20, look);
  return {
    ...kit,
    sink,
    heard,
    recorded: (): readonly TimedSample[] =>
      sink.of('agent').flatMap(({ at, samples }) =>
        [...samples].map((value, i) => ({
          value: value / 32_768,
          atMs: ((at + i) * 1000) / VOICE_RATE,
        })),
      ),
  };
}
