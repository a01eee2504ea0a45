import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concat } from '../../../media/audio/pcm.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../media/stt/moonshine-speech-to-text.js';
import type { EspeakProcess } from '../../../media/tts/espeak/espeak-process.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { openJoe, startFormantProcess } from '../../support/harness/audio/piper-joe.js';
import { synthesise } from '../../support/harness/audio/synthesised-speech.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const MISSISSIPPI = 'M, I, S, S, I, S, S, I, P, P, I.';
const scheduler = new CpuScheduler(1);
const recogniser = new MoonshineSpeechToText({
  id: 'moonshine-tiny-en',
  folder: modelFolder('moonshine-tiny-en'),
  scheduler,
});
const voices = new Map<string, TextToSpeech>();
let engine: EspeakProcess;

beforeAll(async () => {
  engine = startFormantProcess();
  const folder = modelFolder('hibari-heart');
  voices.set('hibari', new HibariVoice({ id: 'hibari', folder, scheduler }));
  voices.set(
    'joe',
    await openJoe(engine, scheduler, mkdtempSync(join(tmpdir(), 'parley-spelled-'))),
  );
});
afterAll(async () => {
  await Promise.all([recogniser, ...voices.values()].map((part) => part.close()));
  await engine.close();
});

/** Transcribes like a call: with 500 ms of silence before and 200 ms after. */
async function transcribeSpelled(voice: string, text: string, speed: number): Promise<string> {
  const speech = await synthesise(voices.get(voice)!, text, speed);
  const audio = concat(Float32Array, [new Float32Array(8_000), speech, new Float32Array(3_200)]);
  return (await recogniser.transcribe(audio, { priority: 'final-transcript' })).text;
}

/** Real models on a busy machine. */
const SLOW = { timeout: 120_000 };

describe('recogniser', SLOW, () => {
  it.each([
    ['hibari', 1.2],
    ['joe', 0.85],
  ])('does not repeat endlessly in a name spelled by %s', async (voice, speed) => {
    const text = await transcribeSpelled(voice, MISSISSIPPI, speed);
    // Without the guard: "Misisisisisisis…" and "And I-s-s-s-s-s-s-s-s…", up to the limit.
    expect(text).not.toMatch(/(..?)\1{5,}/i);
    expect(text).toMatch(/pp|p\W+p/i);
  });

  it('keeps words and digits that are repeated in the audio', async () => {
    expect(await transcribeSpelled('hibari', 'It is 5 5 5, 5 5 5, 5 5 5 5.', 1)).toMatch(
      /555\D+555\D+5555/,
    );
    const no = await transcribeSpelled('hibari', 'No no no no no no no no.', 1);
    expect(no.match(/no/gi)?.length).toBeGreaterThanOrEqual(6);
  });
});
