import { afterAll, describe, expect, it } from 'vitest';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../media/stt/moonshine-speech-to-text.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import { ModelWork } from '../../support/harness/audio/virtual-clock-models.js';
import {
  countExtraWords,
  runInterruptions,
} from '../../support/harness/call/interruption-trial.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const scheduler = new CpuScheduler(1);
const recogniser = new MoonshineSpeechToText({
  id: 'moonshine-tiny-en',
  folder: modelFolder('moonshine-tiny-en'),
  scheduler,
});
const voice = new HibariVoice({
  id: 'hibari-heart',
  folder: modelFolder('hibari-heart'),
  scheduler,
});
const work = new ModelWork();

/** Real models on a busy machine. */
const SLOW = { timeout: 120_000 };

afterAll(async () => {
  await Promise.all([voice, recogniser].map((part) => part.close()));
});

describe('history of an interrupted answer', SLOW, () => {
  it('equals the transcript of the played audio, word for word', async () => {
    const cuts = await runInterruptions({ work, voice, recogniser, first: 3, cuts: 6 });
    expect(cuts).toHaveLength(6);
    for (const cut of cuts)
      expect(Math.abs(cut.extraWords), JSON.stringify(cut)).toBeLessThanOrEqual(1);
    expect(new Set(cuts.map(({ by }) => by)).size).toBe(2);
  });

  it('differences are detected by this test', () => {
    const answer = 'The shop is open from eight until six. Thank you for calling.';
    expect(countExtraWords(answer, 'The shop is', 'The shop is.')).toBe(0);
    expect(countExtraWords(answer, answer, 'The shop is open from.')).toBe(7);
    expect(countExtraWords(answer, 'The shop', 'The shop is open from eight')).toBe(-4);
    expect(countExtraWords(answer, '', '')).toBe(0);
  });
});
