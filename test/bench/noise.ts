import { concat } from '../../media/audio/pcm.js';
import { RnnoiseNoiseReduction } from '../../media/noise/rnnoise-noise-reduction.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../media/stt/moonshine-speech-to-text.js';
import { noiseBelow, pinkNoise, whiteNoise } from '../support/harness/audio/noise.js';
import { SpeechSynthesiser } from '../support/harness/audio/synthesised-speech.js';
import { wordErrors } from '../support/harness/audio/word-errors.js';
import { SENTENCES } from '../support/harness/call/echo-trial.js';
import { modelFolder } from '../support/harness/process/model-folder.js';

const RATE = 16_000;
const FRAME = 320;
const CALLS = 20;
const SECONDS = 20;
const TEXTS = SENTENCES.filter((_, i) => i % 4 === 0);

/**
 * Measures the CPU use of noise reduction (cores per call, twenty concurrent calls) and its effect
 * on word errors. `--json` prints JSON.
 */
export async function run(args: readonly string[]): Promise<number> {
  const reduction = new RnnoiseNoiseReduction();
  await reduction.warm();
  const noise = pinkNoise(SECONDS * RATE).map((sample) => sample * 0.1);
  await clean(reduction, noise.subarray(0, 2 * RATE));
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: CALLS }, () => clean(reduction, noise)));
  const { user, system } = process.cpuUsage(before);
  const coreShare = (user + system) / 1e6 / (CALLS * SECONDS);
  const rows = await wordErrorRows(reduction);
  await reduction.close();
  const figures = { calls: CALLS, coreSharePerCall: coreShare, words: rows };
  if (args.includes('--json')) console.log(JSON.stringify(figures, undefined, 2));
  else {
    console.log(`a call: ${(coreShare * 100).toFixed(2)} % of a core (${CALLS} at once)`);
    for (const { noise: name, ratioDb, words, untouched, cleaned } of rows) {
      const errors = `${untouched} errors untouched, ${cleaned} cleaned, of ${words} words`;
      console.log(`${name.padEnd(8)} ${String(ratioDb).padStart(3)} dB  ${errors}`);
    }
  }
  return 0;
}

/** Processes one call's audio in frames of 20 ms as fast as possible. */
function clean(reduction: RnnoiseNoiseReduction, audio: Float32Array): Promise<Float32Array> {
  return new Promise((resolve, reject) => {
    const out: Float32Array[] = [];
    let [pushed, returned] = [0, 0];
    const pushMore = () => {
      // At most as far ahead as a live call with a busy worker.
      for (; pushed < audio.length && pushed - returned < 3 * FRAME; pushed += FRAME) {
        stream.push(audio.subarray(pushed, pushed + FRAME), true);
      }
      if (pushed >= audio.length) stream.push(new Float32Array(0), false);
    };
    const stream = reduction.open({
      onSamples: (samples) => {
        out.push(samples.slice());
        returned += samples.length;
        if (returned < audio.length) setImmediate(pushMore);
        else {
          stream.close();
          resolve(concat(Float32Array, out));
        }
      },
      onFault: reject,
    });
    pushMore();
  });
}

async function wordErrorRows(reduction: RnnoiseNoiseReduction) {
  const scheduler = new CpuScheduler(1);
  const speaker = new SpeechSynthesiser(scheduler);
  const recogniser = new MoonshineSpeechToText({
    id: 'moonshine-tiny-en',
    folder: modelFolder('moonshine-tiny-en'),
    scheduler,
  });
  const kinds = [
    { noise: 'none', ratioDb: 99, make: whiteNoise },
    ...[10, 5].flatMap((ratioDb) => [
      { noise: 'white', ratioDb, make: whiteNoise },
      { noise: 'pink', ratioDb, make: pinkNoise },
    ]),
  ];
  const rows = kinds.map(({ noise, ratioDb }) => {
    return { noise, ratioDb, words: 0, untouched: 0, cleaned: 0 };
  });
  for (const [seed, text] of TEXTS.entries()) {
    const speech = concat(Float32Array, [await speaker.say(text), new Float32Array(FRAME * 10)]);
    for (const [i, { ratioDb, make }] of kinds.entries()) {
      const row = rows[i]!;
      const lead = 2 * RATE;
      const noise = noiseBelow(speech, make(speech.length + lead, seed + 1), ratioDb);
      const noisy = noise.map((sample, at) => sample + (speech[at - lead] ?? 0));
      const cleaned = await clean(reduction, noisy);
      const errorsIn = async (audio: Float32Array) =>
        wordErrors(
          text,
          (await recogniser.transcribe(audio.subarray(lead), { priority: 'turn' })).text,
        );
      const noisyErrors = await errorsIn(noisy);
      row.words += noisyErrors.words;
      row.untouched += noisyErrors.errors;
      row.cleaned += (await errorsIn(cleaned)).errors;
    }
  }
  await Promise.all([speaker, recogniser].map((part) => part.close()));
  return rows;
}
