import { describe, expect, it } from 'vitest';
import {
  applyLatency,
  applyTranscript,
  type TranscriptLine,
} from '../../../src/web/call/transcript.js';

function transcriptEvent(segment: string, text: string, final = false) {
  const role = segment.startsWith('u') ? ('user' as const) : ('agent' as const);
  return { type: 'transcript' as const, segment, role, text, final, startMs: 0, endMs: 0 };
}

const linesAfter = (...events: ReturnType<typeof transcriptEvent>[]) =>
  events.reduce<readonly TranscriptLine[]>(applyTranscript, []);
const shown = (lines: readonly TranscriptLine[]) =>
  lines.map(({ segment, text, isFinal }) => `${segment}: ${text}${isFinal ? '.' : ' …'}`);
const LATENCY = {
  type: 'latency' as const,
  turn: 1,
  endpointing: 550.4,
  stt: 0.4,
  knowledge: 12.2,
  llm: 120.2,
  chunk: 10,
  tts: 21.4,
  playout: 40.4,
  total: 755,
};

describe('transcript', () => {
  it('keeps a line in its place from the first interim to the final text', () => {
    const lines = linesAfter(
      transcriptEvent('a1', 'Hello'),
      transcriptEvent('u1', 'How'),
      transcriptEvent('a1', 'Hello you', true),
    );
    expect(shown(lines)).toEqual(['a1: Hello you.', 'u1: How …']);
  });

  it('removes a line with an empty final text', () => {
    expect(
      shown(
        linesAfter(
          transcriptEvent('u1', 'mh'),
          transcriptEvent('a1', 'Yes'),
          transcriptEvent('u1', '', true),
        ),
      ),
    ).toEqual(['a1: Yes …']);
  });

  it('shows nothing for an utterance without words', () => {
    expect(linesAfter(transcriptEvent('u1', ''), transcriptEvent('u2', '', true))).toEqual([]);
  });

  it('ignores an interim text after the final one', () => {
    expect(
      shown(linesAfter(transcriptEvent('u1', 'Yes', true), transcriptEvent('u1', 'Ye'))),
    ).toEqual(['u1: Yes.']);
  });

  it('replaces the final text of a turn with a later one', () => {
    expect(
      shown(
        linesAfter(transcriptEvent('u1', 'Yes', true), transcriptEvent('u1', 'Yes please', true)),
      ),
    ).toEqual(['u1: Yes please.']);
  });

  it('shows the latency of the newest answer, in rounded parts that add up to the total', () => {
    const lines = applyLatency(
      linesAfter(
        transcriptEvent('a1', 'Hi', true),
        transcriptEvent('u1', 'Yes', true),
        transcriptEvent('a2', 'Fine'),
      ),
      LATENCY,
    );
    expect(lines.map(({ latency }) => latency?.totalMs)).toEqual([undefined, undefined, 755]);
    const parts = lines.at(-1)!.latency!.parts;
    expect(parts.reduce((sum, { ms }) => sum + ms, 0)).toBe(755);
    expect(parts.every(({ ms }) => Number.isInteger(ms) && ms >= 0)).toBe(true);
  });

  it('keeps the latency when its line is updated', () => {
    const lines = applyLatency(linesAfter(transcriptEvent('a1', 'Fine')), LATENCY);
    expect(
      applyTranscript(lines, transcriptEvent('a1', 'Fine. And you?', true))[0]?.latency?.totalMs,
    ).toBe(755);
  });
});
