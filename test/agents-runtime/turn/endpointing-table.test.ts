import { afterAll, expect, it } from 'vitest';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import { EVALUATION_TURNS } from '../../support/corpora/spoken-turns.js';
import { baseline } from '../../support/harness/endpointing/baselines.js';
import { type Outcome, runTake } from '../../support/harness/endpointing/endpointing-call.js';
import { RealSpeechModels } from '../../support/harness/endpointing/real-models.js';
import { takeOf, withNoise } from '../../support/harness/endpointing/takes.js';
import { summarise } from '../../support/harness/endpointing/tally.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const SETTINGS = { minSilenceMs: 550, minEndpointingMs: 500, maxEndpointingMs: 3000 };
/** Every second turn; seven of the fifteen contain pauses. */
const TURNS = EVALUATION_TURNS.filter((_, i) => i % 2 === 1);
const SPEEDS = [1, 1.15, 0.9];
const NOISES = [undefined, 20, 10, undefined, 5];

const scheduler = new CpuScheduler(1);
const models = new RealSpeechModels(scheduler);
const voice = new HibariVoice({ id: 'hibari', folder: modelFolder('hibari-heart'), scheduler });
afterAll(async () => {
  await Promise.all([models.close(), voice.close()]);
});

/** Voice and noise are the same in each run, and all times are audio times. */
it("real turns are committed as the README's table states", { timeout: 180_000 }, async () => {
  const ours: Outcome[] = [];
  const silenceAlone: Outcome[] = [];
  for (const [i, turn] of TURNS.entries()) {
    const clean = await takeOf(turn, { voice, speed: SPEEDS[i % SPEEDS.length]! });
    const noise = NOISES[i % NOISES.length];
    const take = noise === undefined ? clean : withNoise(clean, noise);
    const probabilities = await models.probabilities(take.samples);
    ours.push(await runTake(take, probabilities, models, SETTINGS));
    silenceAlone.push(await baseline('vad', take, probabilities, models, SETTINGS));
  }
  const tally = summarise(ours);
  const details = JSON.stringify({ tally, commits: ours.map(({ commits }) => commits) });
  expect(tally.missed, details).toBe(0);
  expect(tally.cutOff, details).toBeLessThanOrEqual(2);
  expect(tally.p50, details).toBeLessThanOrEqual(700);
  expect(tally.p95, details).toBeLessThanOrEqual(1300);
  // The takes are not trivial: silence alone ends more turns too early.
  expect(summarise(silenceAlone).cutOff).toBeGreaterThanOrEqual(4);
});
