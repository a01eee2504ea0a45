import { CallRecorder } from '../../../../agents-runtime/observers/recording/call-recorder.js';
import type { RecordingSink } from '../../../../agents-runtime/observers/recording/recording-sink.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import type { Leg } from '../../../../media/recording/spool-record.js';
import type { AudioChunk } from '../../../../media/recording/spool-writer.js';
import { VOICE_RATE } from '../../fakes/virtual-client.js';
import { type HarnessOptions, harness } from './call-harness.js';

/** A recording sink in memory. */
export class MemorySink implements RecordingSink {
  readonly chunks: AudioChunk[] = [];
  durationMs: number | undefined;

  write(audioChunks: readonly AudioChunk[]): void {
    this.chunks.push(...audioChunks);
  }

  end(durationMs: number): void {
    this.durationMs = durationMs;
  }

  of(leg: Leg): readonly AudioChunk[] {
    return this.chunks.filter((chunk) => chunk.leg === leg);
  }
}

/** One sample that a client played, or that was recorded. */
export interface TimedSample {
  /** Unique within the last 2.5 s. */
  readonly value: number;
  readonly atMs: number;
}

/** The harness with a call recorder, and the time of each sample that its client played. */
export function recordedHarness(options: HarnessOptions = {}) {
  const sink = new MemorySink();
  const kit = harness({
    // Exact as 16-bit integers. The values repeat after 2.5 s.
    sampleAt: (n) => ((n % 60_000) - 30_000) / 32_768,
    ...options,
    begin: (parts) => {
      const { sampleRate } = parts.transport;
      return new Call({ ...parts, observers: [new CallRecorder({ sampleRate, sink })] });
    },
  });
  const playedSamples: TimedSample[] = [];
  const { clock, transport } = kit;
  // Every 20 ms the client plays 20 ms; the gateway knows the playhead only from its reports.
  const recordPlayed = () => {
    const fresh = transport.played.slice(playedSamples.length);
    const from = clock.now() - (fresh.length * 1000) / VOICE_RATE + (options.networkDelayMs ?? 0);
    fresh.forEach((value, i) => {
      playedSamples.push({ value, atMs: from + (i * 1000) / VOICE_RATE });
    });
    clock.after(20, recordPlayed);
  };
  clock.after(20, recordPlayed);
  return {
    ...kit,
    sink,
    playedSamples,
    recorded: (): readonly TimedSample[] =>
      sink.of('agent').flatMap(({ at, samples }) =>
        [...samples].map((value, i) => ({
          value: value / 32_768,
          atMs: ((at + i) * 1000) / VOICE_RATE,
        })),
      ),
  };
}
