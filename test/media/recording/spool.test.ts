import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LegReader } from '../../../media/recording/leg-reader.js';
import { decodeRice, encodeRice } from '../../../media/recording/rice-codec.js';
import { SpoolReader, samplesOf, summariseSpool } from '../../../media/recording/spool-reader.js';
import { type AudioChunk, SpoolWriter } from '../../../media/recording/spool-writer.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const RATES = { caller: 16_000, agent: 24_000 };

let files = 0;
const folder = makeTestFolder();
const newPath = () => join(folder, `${++files}.spool`);

const sample = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -300, max: 300 }) },
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(-32_768, 32_767) },
  { weight: 1, arbitrary: fc.integer({ min: -32_768, max: 32_767 }) },
);
const samplesArb = fc
  .array(sample, { minLength: 1, maxLength: 700 })
  .map((values) => Int16Array.from(values));

/** Chunks in the order of their positions, with random gaps. */
const chunksArb = fc
  .array(
    fc.record({
      leg: fc.constantFrom('caller' as const, 'agent' as const),
      gap: fc.constantFrom(0, 0, 1, 500),
      samples: samplesArb,
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((items) => {
    const ends = { caller: 0, agent: 0 };
    return items.map(({ leg, gap, samples }): AudioChunk => {
      const at = ends[leg] + gap;
      ends[leg] = at + samples.length;
      return { leg, at, samples };
    });
  });

function write(chunks: readonly AudioChunk[], durationMs?: number): string {
  const path = newPath();
  const writer = new SpoolWriter(path, RATES);
  for (const chunk of chunks) writer.append([chunk]);
  writer.close(durationMs);
  return path;
}

function audioIn(path: string) {
  const reader = new SpoolReader(path);
  const found: { leg: string; at: number; samples: number[] }[] = [];
  for (let record = reader.next(); record; record = reader.next()) {
    if (record.kind !== 'caller' && record.kind !== 'agent') continue;
    found.push({ leg: record.kind, at: record.at, samples: [...samplesOf(record)] });
  }
  reader.close();
  return { found, damagedBytes: reader.damagedBytes };
}

const plain = (chunks: readonly AudioChunk[]) =>
  chunks.map(({ leg, at, samples }) => ({ leg, at, samples: [...samples] }));

describe('lossless sample compression', () => {
  it('restores the samples', () => {
    fc.assert(
      fc.property(samplesArb, (samples) => {
        const back = new Int16Array(samples.length);
        decodeRice(encodeRice(samples), back);
        expect(back).toEqual(samples);
      }),
    );
  });

  it('is small for silence and never much larger than the samples', () => {
    expect(encodeRice(new Int16Array(16_000)).length).toBeLessThan(100);
    const noise = Int16Array.from({ length: 16_000 }, (_, i) => ((i * 40_503) % 65_536) - 32_768);
    expect(encodeRice(noise).length).toBeLessThan(noise.byteLength * 1.01);
  });
});

describe('spool', () => {
  it('returns the recorded chunks', () => {
    fc.assert(
      fc.property(chunksArb, (chunks) => {
        const path = write(chunks, 5_000);
        expect(audioIn(path)).toEqual({ found: plain(chunks), damagedBytes: 0 });
        expect(summariseSpool(path)).toEqual({ rates: RATES, durationMs: 5_000, isWhole: true });
      }),
      { numRuns: 50 },
    );
  });

  it('returns every complete record after any truncation', () => {
    fc.assert(
      fc.property(chunksArb, fc.double({ min: 0, max: 1, noNaN: true }), (chunks, share) => {
        const path = write(chunks);
        const { length } = readFileSync(path);
        truncateSync(path, Math.floor(length * share));
        const { found } = audioIn(path);
        expect(found).toEqual(plain(chunks).slice(0, found.length));
        if (share === 1) expect(found.length).toBe(chunks.length);
      }),
      { numRuns: 100 },
    );
  });

  it('loses at most one record to one damaged byte, or fails if the header is damaged', () => {
    fc.assert(
      fc.property(chunksArb, fc.nat(), fc.integer({ min: 1, max: 255 }), (chunks, place, flip) => {
        const path = write(chunks);
        const bytes = readFileSync(path);
        const at = place % bytes.length;
        bytes[at] = bytes[at]! ^ flip;
        writeFileSync(path, bytes);
        const { found, damagedBytes } = audioIn(path);
        expect(found.length).toBeGreaterThanOrEqual(chunks.length - 1);
        expect(damagedBytes).toBeGreaterThan(0);
        for (const record of found) expect(plain(chunks)).toContainEqual(record);
      }),
      { numRuns: 100 },
    );
  });

  it('without an end record is as long as its audio', () => {
    const samples = new Int16Array(12_000).fill(5);
    const path = write([{ leg: 'agent', at: 24_000, samples }]);
    expect(summariseSpool(path)).toEqual({ rates: RATES, durationMs: 1_500, isWhole: false });
  });

  it('stores a word at the end of a call of four hours', () => {
    const hours = 4 * 3600;
    const word = Int16Array.from({ length: 480 }, (_, i) => i + 1);
    const at = hours * RATES.agent - word.length;
    const path = write([{ leg: 'agent', at, samples: word }], hours * 1000);
    expect(summariseSpool(path).durationMs).toBe(hours * 1000);
    const legReader = new LegReader(path, 'agent');
    const second = new Float32Array(RATES.agent);
    for (let read = 0; read < hours; read++) legReader.read(second);
    legReader.close();
    expect(second.at(-1)).toBe(480 / 32_768);
    expect(second.at(-word.length - 1)).toBe(0);
  });

  it('is rejected if it is unreadable', () => {
    const path = newPath();
    writeFileSync(path, Buffer.alloc(1_000, 7));
    expect(() => summariseSpool(path)).toThrow('no readable start');
  });

  it('has silence in the gaps of each leg', () => {
    fc.assert(
      fc.property(chunksArb, fc.integer({ min: 1, max: 999 }), (chunks, step) => {
        const path = write(chunks, 1_000);
        for (const leg of ['caller', 'agent'] as const) {
          const expected = new Float32Array(8_000);
          for (const chunk of chunks.filter((one) => one.leg === leg)) {
            chunk.samples.forEach((value, i) => {
              expected[chunk.at + i] = value / 32_768;
            });
          }
          const legReader = new LegReader(path, leg);
          const got = new Float32Array(8_000 + step);
          for (let at = 0; at < 8_000; at += step) legReader.read(got.subarray(at, at + step));
          legReader.close();
          expect(got.slice(0, 8_000)).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });
});
