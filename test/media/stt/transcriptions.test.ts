import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import type { EspeakProcess } from '../../../media/tts/espeak/espeak-process.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { ENGLISH_VOICE } from '../../support/harness/audio/english-front-end.js';
import { openJoe, startFormantProcess } from '../../support/harness/audio/piper-joe.js';

/**
 * An IPA transcription in a dictionary; the eSpeak voices are tested in
 * tts/espeak/phoneme-map.test.ts.
 */
const IPA = 'ˈbænd.ʒoʊ';

let engine: EspeakProcess;
const voices = new Map<string, TextToSpeech>();

beforeAll(async () => {
  const scheduler = new CpuScheduler(2);
  engine = startFormantProcess();
  const folder = mkdtempSync(join(tmpdir(), 'parley-transcriptions-'));
  voices.set('neural English', new HibariVoice({ id: 'heart', folder: ENGLISH_VOICE, scheduler }));
  voices.set('Piper', await openJoe(engine, scheduler, folder));
});
afterAll(async () => {
  for (const voice of voices.values()) await voice.close();
  await engine?.close();
});

async function synthesise(engineName: string, word: string, ipa?: string): Promise<Buffer> {
  const pronounced = ipa === undefined ? [] : [{ textStart: 0, textEnd: word.length, ipa }];
  const utterance = { language: 'en', temperature: 1, topP: 0.8, seed: 3, speed: 1 };
  const how = { signal: new AbortController().signal, firstPriority: 'first-chunk' } as const;
  const parts: Buffer[] = [];
  const speech = voices
    .get(engineName)!
    .speak({ text: `${word} is here.`, pronounced, ...utterance }, how);
  for await (const { samples } of speech) {
    parts.push(Buffer.from(samples.buffer.slice(samples.byteOffset).slice(0, samples.byteLength)));
  }
  return Buffer.concat(parts);
}

describe.each(['neural English', 'Piper'])('%s voice', (name) => {
  it('speaks a transcription in place of the written word', async () => {
    const settled = await synthesise(name, 'Rotterdam', IPA);
    expect(settled.equals(await synthesise(name, 'Rotterdam'))).toBe(false);
    expect(settled.equals(await synthesise(name, 'Maastricht', IPA))).toBe(true);
  });

  it('speaks the written word if it lacks a sound of the transcription', async () => {
    const written = await synthesise(name, 'Rotterdam');
    expect(written.equals(await synthesise(name, 'Rotterdam', '世界'))).toBe(true);
  });
});
