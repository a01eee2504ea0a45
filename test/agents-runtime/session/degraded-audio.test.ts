import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concat } from '../../../media/audio/pcm.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import { EndpointingCall } from '../../support/harness/endpointing/endpointing-call.js';
import { RealSpeechModels } from '../../support/harness/endpointing/real-models.js';
import { RATE, randomness, takeOf } from '../../support/harness/endpointing/takes.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const scheduler = new CpuScheduler(1);
const models = new RealSpeechModels(scheduler);
const voice = new HibariVoice({ id: 'hibari', folder: modelFolder('hibari-heart'), scheduler });
/** 0.8 s of room noise, a question of about 2 s, 4.5 s of room noise. */
let question: Float32Array<ArrayBuffer>;
let spoken: Float32Array<ArrayBuffer>;
const WORDS = /open(ing)? hours on sunday/i;

beforeAll(async () => {
  const said = 'What are your opening hours on Sunday?';
  const take = await takeOf({ text: said }, { voice, speed: 1 });
  question = take.samples;
  spoken = question.slice(0.8 * RATE, take.endSample);
}, 120_000);
afterAll(async () => {
  await Promise.all([models.close(), voice.close()]);
});

const LIMIT = { timeout: 120_000 };
const seconds = (length: number) => new Float32Array(Math.round(length * RATE));
const mixed = (a: Float32Array, b: (i: number) => number) => a.map((sample, i) => sample + b(i));
const tone = (hz: number, level: number) => (i: number) =>
  level * Math.sin((2 * Math.PI * hz * i) / RATE);

async function called(): Promise<EndpointingCall> {
  const call = new EndpointingCall(models, models.voiceActivity(), {});
  await call.begin();
  return call;
}

/** The text of the only commit for this audio. */
async function transcribeCall(samples: Float32Array, isLost?: (packet: number) => boolean) {
  const call = await called();
  await call.sendAudio(samples, isLost);
  await call.end();
  return { commits: call.commits.length, text: call.texts.at(-1) ?? '' };
}

describe('question on a bad line', () => {
  const distortions: Readonly<Record<string, (clean: Float32Array) => Float32Array>> = {
    'that is clipped': (clean) => clean.map((s) => Math.max(-0.4, Math.min(0.4, s * 6))),
    'with a DC offset': (clean) => mixed(clean, () => 0.3),
    'with mains hum': (clean) => mixed(clean, tone(50, 0.1)),
    'that is hardly to be heard': (clean) => clean.map((sample) => sample * 0.05),
  };
  for (const [name, distort] of Object.entries(distortions)) {
    it(`${name} is one turn with its words`, LIMIT, async () => {
      const { commits, text } = await transcribeCall(distort(question));
      expect(text).toMatch(WORDS);
      expect(commits).toBe(1);
    });
  }

  it('ends although three of ten packets are silent', LIMIT, async () => {
    const random = randomness(3);
    const { commits, text } = await transcribeCall(question, () => random() < 0.3);
    expect(commits).toBeGreaterThanOrEqual(1);
    expect(text).not.toBe('');
  });

  it('over another voice ends when both have ended', LIMIT, async () => {
    const late = Math.round(0.9 * RATE);
    const end = 0.8 * RATE + spoken.length + late;
    const both = mixed(concat(Float32Array, [question, seconds(1)]), (i) => {
      const at = i - 0.8 * RATE - late;
      return at >= 0 && at < spoken.length ? 0.8 * spoken[at]! : 0;
    });
    const call = await called();
    const from = call.clock.now();
    await call.sendAudio(both);
    await call.end();
    expect(call.commits.length).toBe(1);
    expect(call.commits[0]! - from).toBeGreaterThan((end * 1000) / RATE);
  });
});

describe('audio without speech', () => {
  /** The DTMF tones of 1, 5 and 9. Source: ITU-T Q.23. */
  const KEYS = [
    [697, 1209],
    [770, 1336],
    [852, 1477],
  ] as const;

  it('starts no turn: DTMF, music, hum, silence', LIMIT, async () => {
    const keys = mixed(seconds(4), (i) => {
      const [low, high] = KEYS[Math.floor(i / RATE) % 3]!;
      return i % RATE < 0.3 * RATE ? tone(low, 0.3)(i) + tone(high, 0.3)(i) : 0;
    });
    const music = mixed(seconds(5), (i) => {
      const root = [220, 247, 262, 196][Math.floor(i / (RATE / 2)) % 4]!;
      const fade = 1 - (i % (RATE / 2)) / (RATE / 2);
      return [1, 1.25, 1.5, 2].reduce((sum, part) => sum + fade * tone(root * part, 0.1)(i), 0);
    });
    for (const audio of [keys, music, mixed(seconds(4), tone(50, 0.3)), seconds(6)]) {
      const { commits } = await transcribeCall(concat(Float32Array, [audio, seconds(4)]));
      expect(commits).toBe(0);
    }
  });
});

describe('caller', () => {
  it(
    'who speaks without a break is not interrupted and is answered at the end',
    LIMIT,
    async () => {
      const breath = seconds(0.12);
      const monologue = concat(
        Float32Array,
        Array.from({ length: 8 }, () => [spoken, breath]).flat(),
      );
      const call = await called();
      await call.sendAudio(monologue);
      expect(call.commits).toEqual([]);
      await call.sendAudio(seconds(4));
      await call.end();
      expect(call.commits.length).toBe(1);
      expect(call.texts.at(-1)!.split(/sunday/i).length).toBeGreaterThan(4);
    },
  );

  it('whose packets arrive 2 s late is recognised to the end', LIMIT, async () => {
    const call = await called();
    const half = 0.8 * RATE + Math.round(spoken.length / 2);
    await call.sendAudio(question.subarray(0, half));
    await call.run(2_000);
    call.push(question.subarray(half, half + 2 * RATE));
    await call.sendAudio(question.subarray(half + 2 * RATE));
    await call.end();
    expect(call.commits.length).toBeGreaterThanOrEqual(1);
    expect(call.texts.at(-1)).toMatch(/sunday/i);
  });

  it('is recognised after the clock has jumped', LIMIT, async () => {
    const call = await called();
    await call.sendAudio(question);
    call.clock.advance(60_000);
    await call.run(100);
    const before = call.commits.length;
    await call.sendAudio(question);
    await call.end();
    expect(call.commits.length).toBeGreaterThan(before);
    expect(call.texts.at(-1)).toMatch(WORDS);
  });
});
