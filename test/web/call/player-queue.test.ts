import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlayerQueue } from '../../../src/web/call/player-queue.js';
import '../../support/harness/process/property-seed.js';

const RATE = 24_000;
const MS = RATE / 1000;
/** Longer than the fade of a pause or of a clear. */
const FADED = 31 * MS;

function setUp() {
  const reports: number[] = [];
  const queue = new PlayerQueue({ sampleRate: RATE, report: (ms) => reports.push(ms) });
  let sent = 0;
  return {
    queue,
    reports,
    /** Sends samples whose values are their numbers, from 1. */
    send(length: number) {
      queue.receive(Int16Array.from({ length }, () => (sent++ % 30_000) + 1));
    },
    /** The next played samples, as their sent values. */
    hear(length: number): number[] {
      const output = new Float32Array(length);
      queue.read(output);
      return [...output].map((sample) => Math.round(sample * 32768));
    },
  };
}

function countFrom(first: number, length: number): number[] {
  return Array.from({ length }, (_, i) => first + i);
}

describe('PlayerQueue', () => {
  it('waits for 60 ms of audio, then plays every sample', () => {
    const { send, hear } = setUp();
    send(40 * MS);
    expect(new Set(hear(10 * MS))).toEqual(new Set([0]));
    send(20 * MS);
    hear(5 * MS); // fades in
    expect(hear(10 * MS)).toEqual(countFrom(5 * MS + 1, 10 * MS));
  });

  it('plays a shorter remainder after waiting for 60 ms', () => {
    const { send, hear } = setUp();
    send(20 * MS);
    for (let waited = 0; waited < 55; waited += 5) expect(hear(5 * MS).at(-1)).toBe(0);
    expect(hear(20 * MS).slice(10 * MS)).toEqual(countFrom(10 * MS + 1, 10 * MS));
  });

  it('reports its start, then about every 100 ms, and the end', () => {
    const { send, hear, reports } = setUp();
    send(350 * MS);
    for (let played = 0; played < 400; played += 10) hear(10 * MS);
    expect(reports).toEqual([10, 110, 210, 310, 350]);
  });

  it('fades out within 40 ms on pause and reports the sample where the fade started', () => {
    const { queue, send, hear, reports } = setUp();
    send(400 * MS);
    hear(100 * MS);
    queue.pause();
    expect(reports.at(-1)).toBe(100);
    const fade = hear(40 * MS);
    expect(fade[0]).toBeGreaterThan(2300);
    for (let i = 1; i < FADED; i++) expect(fade[i]).toBeLessThanOrEqual(fade[i - 1]! + 1);
    expect(fade.slice(FADED)).toEqual(new Array(40 * MS - FADED).fill(0));
    expect(hear(500 * MS).every((sample) => sample === 0)).toBe(true);
    expect(reports.at(-1)).toBe(100);
  });

  it('loses and repeats no sample at pauses at any time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 12 }),
        (lengths) => {
          const { queue, send, hear, reports } = setUp();
          send(2 * RATE);
          hear(5 * MS);
          let expected = 5 * MS + 1;
          for (const length of lengths) {
            expect(hear(length)).toEqual(countFrom(expected, length));
            expected += length;
            queue.pause();
            hear(FADED);
            queue.resume(reports.at(-1)!);
            const fadingIn = hear(5 * MS);
            expect(fadingIn.at(-1)).toBeLessThanOrEqual(expected + 5 * MS);
            expected += 5 * MS;
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('resumes a second earlier if the server says so', () => {
    const { queue, send, hear } = setUp();
    for (let sent = 0; sent < 3000; sent += 100) {
      send(100 * MS);
      hear(100 * MS);
    }
    queue.pause();
    hear(FADED);
    queue.resume(1900);
    hear(5 * MS);
    const first = ((1905 * MS) % 30_000) + 1;
    expect(hear(100)).toEqual(countFrom(first, 100));
  });

  it('reports before a clear, and counts cleared audio as played', () => {
    const { queue, send, hear, reports } = setUp();
    send(400 * MS);
    hear(100 * MS);
    queue.clear();
    expect(reports.at(-1)).toBe(100);
    hear(FADED);
    expect(hear(100 * MS).every((sample) => sample === 0)).toBe(true);
    send(100 * MS);
    hear(5 * MS);
    expect(hear(10 * MS)).toEqual(countFrom(405 * MS + 1, 10 * MS));
    expect(reports.at(-1)).toBe(405);
  });

  it('plays audio after a clear during a pause', () => {
    const { queue, send, hear } = setUp();
    send(200 * MS);
    hear(50 * MS);
    queue.pause();
    queue.clear();
    hear(FADED);
    send(100 * MS);
    hear(5 * MS);
    expect(hear(MS)).toEqual(countFrom(205 * MS + 1, MS));
  });

  it('continues if the new socket continues at the received position', () => {
    const { queue, send, hear, reports } = setUp();
    send(200 * MS);
    hear(100 * MS);
    queue.begin(200);
    expect(reports.at(-1)).toBe(100);
    send(100 * MS);
    expect(hear(150 * MS)).toEqual(countFrom(100 * MS + 1, 150 * MS));
  });

  it('drops its audio if the new socket starts at a later position', () => {
    const { queue, hear, send, reports } = setUp();
    send(200 * MS);
    hear(100 * MS);
    queue.begin(1000);
    expect(reports.at(-1)).toBe(1000);
    expect(hear(50 * MS).every((sample) => sample === 0)).toBe(true);
  });

  it('keeps the latest audio of a server that sends without end', () => {
    const { send, hear, reports } = setUp();
    for (let sent = 0; sent < 20; sent++) send(RATE);
    hear(5 * MS);
    expect(reports.at(-1)).toBe(16_005);
  });
});
