import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isBackchannel } from '../../../agents-runtime/turn/backchannels.js';
import { concat } from '../../../media/audio/pcm.js';
import { SentenceModelEmbedder } from '../../../media/embeddings/sentence-model-embedder.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../media/stt/moonshine-speech-to-text.js';
import { SmartTurn } from '../../../media/turn-detection/smart-turn.js';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { cough } from '../../support/corpora/spoken-questions.js';
import { SpeechSynthesiser } from '../../support/harness/audio/synthesised-speech.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const scheduler = new CpuScheduler(1);
const speaker = new SpeechSynthesiser(scheduler);
const recogniser = new MoonshineSpeechToText({
  id: 'moonshine-tiny-en',
  folder: modelFolder('moonshine-tiny-en'),
  scheduler,
});
const turnDetector = new SmartTurn({ folder: modelFolder('smart-turn-v3.2'), scheduler });
const faults: unknown[] = [];
const vad = new SileroVoiceActivity({
  folder: modelFolder('silero-vad'),
  onFault: (error) => faults.push(error),
});
const embedder = await SentenceModelEmbedder.openMiniLm({
  id: 'minilm-l6-v2-int8',
  folder: modelFolder('minilm-l6-v2-int8'),
  scheduler,
});

afterAll(async () => {
  await Promise.all([speaker, recogniser, turnDetector, vad, embedder].map((part) => part.close()));
});

describe('recogniser', () => {
  it('transcribes speech', async () => {
    const speech = await speaker.say('What are your opening hours on Sunday?');
    const { text } = await recogniser.transcribe(speech, { priority: 'final-transcript' });
    expect(text.toLowerCase()).toMatch(/opening hours on sunday/);
  });

  it('returns no words for silence and accepts the shortest audio', async () => {
    const options = { priority: 'final-transcript' } as const;
    expect((await recogniser.transcribe(new Float32Array(0), options)).text).toBe('');
    const { text } = await recogniser.transcribe(new Float32Array(100), options);
    expect(text.length).toBeLessThan(20);
  });

  it('transcribes single short words', async () => {
    for (const word of ['Yes.', 'No.', 'Stop.', 'Okay.', 'Sure.', 'Monday.']) {
      const speech = concat(Float32Array, [new Float32Array(8_000), await speaker.say(word)]);
      const { text } = await recogniser.transcribe(speech, { priority: 'final-transcript' });
      expect(text.replace(/\P{L}/gu, '')).toBe(word.replace(/\P{L}/gu, ''));
    }
  });

  it('returns no words for a cough or noise, except for a backchannel', async () => {
    const noise = (ms: number) =>
      Float32Array.from({ length: 16 * ms }, (_, i) => 0.4 * Math.sin(i * i * 12.9898));
    for (const samples of [cough(), noise(60), noise(150), noise(400)]) {
      for (const lead of [7_600, 7_800, 8_000, 8_300]) {
        const padded = concat(Float32Array, [
          new Float32Array(lead),
          samples,
          new Float32Array(3_200),
        ]);
        const { text } = await recogniser.transcribe(padded, { priority: 'final-transcript' });
        expect(text === '' || isBackchannel(text, 'en'), text).toBe(true);
      }
    }
  });

  it('rejects audio above its maximum duration', async () => {
    const speech = new Float32Array(13 * 16_000);
    await expect(recogniser.transcribe(speech, { priority: 'background' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('drops a job that is cancelled while it waits', async () => {
    const speech = await speaker.say('One two three four five six seven.');
    const work = new AbortController();
    const first = recogniser.transcribe(speech, { priority: 'final-transcript' });
    const second = recogniser.transcribe(speech, {
      priority: 'interim-transcript',
      signal: work.signal,
    });
    work.abort();
    await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
    expect((await first).text.length).toBeGreaterThan(5);
  });
});

describe('turn model', () => {
  it('distinguishes a complete from a truncated sentence', async () => {
    const whole = await speaker.say('I would like to book a table for two people.');
    const cut = await speaker.say('I would like to book a table for');
    const silence = new Float32Array(3200);
    const speechOf = (speech: Float32Array, seconds: number) =>
      concat(Float32Array, [speech.subarray(0, Math.round(speech.length * seconds)), silence]);
    expect(await turnDetector.completeness(speechOf(whole, 1))).toBeGreaterThan(0.5);
    expect(await turnDetector.completeness(speechOf(cut, 0.6))).toBeLessThan(0.5);
  });
});

describe('VAD', () => {
  it('detects speech and silence per stream', async () => {
    const speech = await speaker.say('Hello, is anybody there? I have a question.');
    const probabilities: number[] = [];
    const silent: number[] = [];
    const [talker, listener] = [
      vad.open((probability) => probabilities.push(probability)),
      vad.open((probability) => silent.push(probability)),
    ];
    const windows = Math.floor(speech.length / 512);
    for (let i = 0; i < windows; i++) {
      talker.push(speech.subarray(i * 512, (i + 1) * 512));
      listener.push(new Float32Array(512));
    }
    await expect.poll(() => silent.length, { timeout: 10_000 }).toBe(windows);
    expect(probabilities.length).toBe(windows);
    expect(probabilities.filter((probability) => probability > 0.6).length).toBeGreaterThan(
      windows / 2,
    );
    expect(Math.max(...silent)).toBeLessThan(0.3);
    expect(faults).toEqual([]);
    talker.close();
    listener.close();
  });
});

describe('embedder', () => {
  it('gives similar vectors for texts with similar meaning', async () => {
    const [question, near, far] = await embedder.embed(
      [
        'When do you open in the morning?',
        'Our opening hours are from nine to five.',
        'The capital of France is Paris.',
      ],
      { priority: 'background' },
    );
    const dot = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, value, i) => sum + value * b[i]!, 0);
    expect(dot(question!, question!)).toBeCloseTo(1, 4);
    expect(dot(question!, near!)).toBeGreaterThan(dot(question!, far!) + 0.2);
  });

  it('gives the same vector in any batch', async () => {
    const [alone] = await embedder.embed(['Returns within thirty days.'], {
      priority: 'background',
    });
    const batch = await embedder.embed(
      ['A much longer passage that is here to fill up the batch.', 'Returns within thirty days.'],
      { priority: 'background' },
    );
    const dot = alone!.reduce((sum, value, i) => sum + value * batch[1]![i]!, 0);
    expect(dot).toBeGreaterThan(0.995);
  });
});

describe('model whose file arrives late', () => {
  it('fails earlier jobs with an error and serves later ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-late-'));
    const errors: unknown[] = [];
    const parts = [
      new MoonshineSpeechToText({ id: 'late', folder, scheduler }),
      new SmartTurn({ folder, scheduler }),
      await SentenceModelEmbedder.openMiniLm({ id: 'late', folder, scheduler }),
      new SileroVoiceActivity({ folder, onFault: (error) => errors.push(error) }),
    ];
    try {
      for (const part of parts) {
        await expect(part.warm()).rejects.toMatchObject({ code: 'MODEL_MISSING' });
      }
      for (const id of [
        'moonshine-tiny-en',
        'smart-turn-v3.2',
        'silero-vad',
        'minilm-l6-v2-int8',
      ]) {
        for (const file of await readdir(modelFolder(id))) {
          await symlink(join(modelFolder(id), file), join(folder, file)).catch(() => undefined);
        }
      }
      for (const part of parts) await part.warm();
      expect(errors).toEqual([]);
    } finally {
      await Promise.all(parts.map((part) => part.close()));
      await rm(folder, { recursive: true, force: true });
    }
  });
});
