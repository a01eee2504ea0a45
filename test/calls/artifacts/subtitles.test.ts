import '../../support/harness/process/property-seed.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TranscriptFormat, writeTranscript } from '../../../src/calls/artifacts/transcript.js';
import type { CallRow } from '../../../src/calls/store/call.model.js';
import type { CallTurnRow } from '../../../src/calls/store/turn.model.js';
import { readSrt, readVtt } from './subtitle-readers.js';

const CALL = { agent_name: 'Pool', options: {} } as CallRow;

function turn(part: Partial<CallTurnRow>): CallTurnRow {
  return {
    call_id: 'x',
    index: 0,
    role: 'agent',
    text: 'Hello.',
    cut: false,
    start_ms: 0,
    end_ms: 900,
    latency: null,
    tools: null,
    sources: null,
    providers: null,
    ...part,
  };
}

async function written(
  format: TranscriptFormat,
  turns: readonly CallTurnRow[],
  call: CallRow = CALL,
): Promise<string> {
  const pages = (async function* () {
    yield turns;
  })();
  return (await writeTranscript(call, pages, format))!.toString('utf8');
}

/** The one-line form of a text in a subtitle. */
const shown = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
const visible = (text: string) => text.replaceAll('\u2060', '');

/** Texts that contain markup or control characters. */
const HOSTILE = [
  '--> 00:00:00.000',
  '1\n00:00:00,000 --> 00:00:09,000\nfalse',
  'a\n\nNOTE b',
  '<v Caller>no</v> & <b>bold</b> &amp; &lt;',
  '{\\an8}up <i>there</i>',
  'WEBVTT\n\nSTYLE\n::cue{}',
  'x < 3 && y > 2 -->',
  'Grüße, 你好, ☕\u{1f600}',
];

const texts = fc
  .oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }))
  .filter((text) => shown(text) !== '' && !text.includes('\0'));
const turns = fc.array(
  fc.record({
    text: texts,
    role: fc.constantFrom('user' as const, 'agent' as const),
    startMs: fc.nat(20_000_000),
    lastsMs: fc.nat(60_000),
    cut: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

describe('subtitles', () => {
  it('contain speaker, text and times', async () => {
    const said = [
      turn({ start_ms: 40, end_ms: 1_500 }),
      turn({ index: 1, role: 'user', text: 'Open?', start_ms: 61_001, end_ms: 62_000 }),
      turn({ index: 2, text: 'At six', cut: true, start_ms: 3_723_456, end_ms: 3_724_000 }),
    ];
    expect(await written('vtt', said)).toBe(
      'WEBVTT\n\n' +
        '00:00:00.040 --> 00:00:01.500\n<v Pool>Hello.</v>\n\n' +
        '00:01:01.001 --> 00:01:02.000\n<v Caller>Open?</v>\n\n' +
        '01:02:03.456 --> 01:02:04.000\n<v Pool>At six —</v>\n\n',
    );
    expect(await written('srt', said)).toBe(
      '1\n00:00:00,040 --> 00:00:01,500\nPool: Hello.\n\n' +
        '2\n00:01:01,001 --> 00:01:02,000\nCaller: Open?\n\n' +
        '3\n01:02:03,456 --> 01:02:04,000\nPool: At six —\n\n',
    );
  });

  it('are parsed back to the same texts by third-party readers, for any words and names', async () => {
    await fc.assert(
      fc.asyncProperty(turns, texts, async (said, name) => {
        const rows = said
          // The WebVTT reader sorts cues in this order.
          .sort((a, b) => a.startMs - b.startMs || b.lastsMs - a.lastsMs)
          .map(({ text, role, startMs, lastsMs, cut }, index) =>
            turn({ index, text, role, cut, start_ms: startMs, end_ms: startMs + lastsMs }),
          );
        const call = { agent_name: name } as CallRow;
        const wanted = rows.map(({ text, role, cut, start_ms, end_ms }) => ({
          from: start_ms / 1_000,
          to: Math.max(end_ms, start_ms + 1) / 1_000,
          speaker: role === 'user' ? 'Caller' : shown(name),
          text: shown(text) + (cut ? ' —' : ''),
        }));
        const vtt = readVtt(await written('vtt', rows, call));
        expect(vtt.errors).toEqual([]);
        expect(vtt.cues).toEqual(wanted);
        const srt = readSrt(await written('srt', rows, call));
        expect(srt.map((cue) => ({ ...cue, text: visible(cue.text) }))).toEqual(
          wanted.map(({ speaker, text, ...times }) => ({ ...times, text: `${speaker}: ${text}` })),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('contain nothing that a SubRip player interprets as a tag or a position', async () => {
    const srt = await written('srt', [turn({ text: '<i>a</i> {\\an8}b {b} --> 1 < 2' })]);
    expect(srt.split('\n')[2]).not.toMatch(/<\/?\w|\{\\|\{\w|-->/);
  });
});

describe('text transcript', () => {
  it('states the reason for a phone call whose inbound webhook failed', async () => {
    const options = { inbound_call_error: 'The server answered 500' };
    const about = JSON.parse(await written('json', [turn({})], { ...CALL, options }));
    expect(about).toMatchObject(options);
    const other = JSON.parse(await written('json', [turn({})]));
    expect(other).not.toHaveProperty('inbound_call_error');
  });

  it('is truncated at its limits with a notice', async () => {
    const page = Array.from({ length: 9 }, (_, index) => turn({ index, text: 'x'.repeat(1e6) }));
    let pages = 0;
    const call = { ...CALL, started_at: null, ended_at: null } as CallRow;
    const long = await writeTranscript(
      call,
      (async function* () {
        for (;;) {
          pages++;
          yield page;
        }
      })(),
      'json',
    );
    expect(pages).toBe(4);
    const { is_complete, turns: writtenTurns } = JSON.parse(long!.toString());
    expect([is_complete, writtenTurns.length]).toEqual([false, 27]);
  });

  it('assigns each line to its speaker', async () => {
    const text = await written('text', [
      turn({ role: 'user', text: 'Hi.\n[00:01] Pool: You may go.' }),
    ]);
    expect(text).toBe('[00:00] Caller: Hi. [00:01] Pool: You may go.\n');
  });
});
