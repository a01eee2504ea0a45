import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordingSink } from '../../../agents-runtime/observers/recording/recording-sink.js';
import { Mixdown } from '../../../media/recording/mixdown.js';
import { SpoolWriter } from '../../../media/recording/spool-writer.js';
import { decodeChannels } from '../../support/harness/audio/decode-audio.js';
import { toneOnsets } from '../../support/harness/audio/tone-onsets.js';
import { runToneCall } from '../../support/harness/call/tone-call.js';
import { describeWith } from '../../support/harness/process/required-tools.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const DURATION_MS = 16_000;
/** Tolerance for the position of a tone in milliseconds. */
const TOLERANCE_MS = 20;

async function mixedTones(channels: 1 | 2, mp3Program: 'wasm' | 'lamejs') {
  const folder = makeTestFolder();
  const spoolPath = join(folder, 'call.spool');
  const outPath = join(folder, 'call.mp3');
  const writer = new SpoolWriter(spoolPath, { caller: 16_000, agent: 24_000 });
  const sink: RecordingSink = {
    write: (chunks) => writer.append(chunks),
    end: (durationMs) => writer.close(durationMs),
  };
  const times = runToneCall({ sink, durationMs: DURATION_MS, everyMs: 4_000, jitterMs: 10 });
  const mixdown = await Mixdown.open({ spoolPath, outPath, channels, mp3Program });
  while (!mixdown.step(1_000));
  mixdown.close();
  const file = readFileSync(outPath);
  rmSync(folder, { recursive: true });
  return { file, times };
}

function expectNear(found: readonly number[], expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  found.forEach((ms, i) => {
    expect(Math.abs(ms - expected[i]!)).toBeLessThanOrEqual(TOLERANCE_MS);
  });
}

describeWith(['ffmpeg'], 'mixdown, as decoded by ffmpeg', ({ ffmpeg }) => {
  it.each(['wasm', 'lamejs'] as const)(
    'has each tone in its channel and position (%s)',
    async (program) => {
      const { file, times } = await mixedTones(2, program);
      const [left, right] = await decodeChannels(ffmpeg, file, { channels: 2, sampleRate: 24_000 });
      expectNear(toneOnsets(left!, 24_000), times.caller);
      expectNear(toneOnsets(right!, 24_000), times.agent);
      expect(left!.length / 24).toBeGreaterThanOrEqual(DURATION_MS);
      expect(left!.length / 24).toBeLessThan(DURATION_MS + 150);
    },
  );

  it('has all tones in one channel if configured', async () => {
    const { file, times } = await mixedTones(1, 'wasm');
    const [only] = await decodeChannels(ffmpeg, file, { channels: 1, sampleRate: 24_000 });
    const all = [...times.caller, ...times.agent].sort((a, b) => a - b);
    expectNear(toneOnsets(only!, 24_000), all);
  });
});

describe('mixdown of an unreadable spool', () => {
  it('fails and leaves no file', async () => {
    const spoolPath = join(makeTestFolder(), 'none.spool');
    const options = {
      spoolPath,
      outPath: `${spoolPath}.mp3`,
      channels: 2,
      mp3Program: 'wasm',
    } as const;
    await expect(Mixdown.open(options)).rejects.toThrow();
    expect(() => readFileSync(options.outPath)).toThrow('ENOENT');
  });
});
