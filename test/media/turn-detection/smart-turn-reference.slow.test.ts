import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { concat } from '../../../media/audio/pcm.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { SmartTurn } from '../../../media/turn-detection/smart-turn.js';
import { SmartTurnFeatures } from '../../../media/turn-detection/smart-turn-features.js';
import { SpeechSynthesiser } from '../../support/harness/audio/synthesised-speech.js';
import { roomNoise } from '../../support/harness/endpointing/takes.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';
import { describeWith } from '../../support/harness/process/required-tools.js';

const SCRIPT = fileURLToPath(
  new URL('../../../../test/fixtures/turn-reference.py', import.meta.url),
);
const FEATURES = 80 * 800;

describeWith(['turn-reference'], 'reference implementation of the turn model', (tools) => {
  const scheduler = new CpuScheduler(1);
  const speaker = new SpeechSynthesiser(scheduler);
  const folder = modelFolder('smart-turn-v3.2');
  const turnDetector = new SmartTurn({ folder, scheduler });
  afterAll(async () => {
    await Promise.all([speaker.close(), turnDetector.close()]);
  });

  it('gives the same decisions for the same audio', { timeout: 120_000 }, async () => {
    const clips = await clipsOf(speaker);
    const wanted = reference(
      tools['turn-reference'],
      join(folder, 'smart-turn-v3.2-cpu.onnx'),
      clips,
    );
    const own = new SmartTurnFeatures();
    const probabilities: number[] = [];
    for (const [i, clip] of clips.entries()) {
      const features = own.extract(clip);
      let worst = 0;
      for (let k = 0; k < FEATURES; k++) {
        worst = Math.max(worst, Math.abs(features[k]! - wanted[i]!.features[k]!));
      }
      expect(worst, `features of clip ${i}`).toBeLessThan(1e-3);
      const probability = await turnDetector.completeness(clip);
      expect(probability, `clip ${i}`).toBeCloseTo(wanted[i]!.probability, 1);
      expect(probability > 0.5, `clip ${i}`).toBe(wanted[i]!.probability > 0.5);
      probabilities.push(probability);
    }
    // Both decisions occur; otherwise equality would prove little.
    expect(Math.min(...probabilities)).toBeLessThan(0.2);
    expect(Math.max(...probabilities)).toBeGreaterThan(0.8);
  });
});

/** Complete and truncated, short and too long, clean and noisy, loud and very quiet clips. */
async function clipsOf(speaker: SpeechSynthesiser): Promise<readonly Float32Array[]> {
  const tail = new Float32Array(3_200);
  const whole = await speaker.say('I would like to book a table for two people.');
  const question = await speaker.say('What time do you close on Saturdays?');
  const yes = await speaker.say('Yes.');
  const broken = whole.subarray(0, Math.round(whole.length * 0.6));
  const noise = roomNoise(whole.length + tail.length, 0.03);
  return [
    concat(Float32Array, [whole, tail]),
    concat(Float32Array, [broken, tail]),
    concat(Float32Array, [whole, tail]).map((sample, i) => sample + noise[i]!),
    concat(Float32Array, [broken, tail]).map((sample) => sample * 0.05),
    concat(Float32Array, [yes, tail]),
    concat(Float32Array, [whole, question, whole, question, tail]),
    concat(Float32Array, [question, new Float32Array(16_000)]),
    concat(Float32Array, [broken, tail]).map(
      (sample) => Math.max(-0.3, Math.min(0.3, sample * 8)) + 0.1,
    ),
    new Float32Array(100),
  ];
}

function reference(python: string, model: string, clips: readonly Float32Array[]) {
  const input = clips.flatMap((clip) => [
    new Uint8Array(Uint32Array.of(clip.length).buffer),
    new Uint8Array(clip.slice().buffer),
  ]);
  const bytes = execFileSync(python, [SCRIPT, model], {
    input: Buffer.concat(input),
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const values = new Float32Array(new Uint8Array(bytes).buffer);
  expect(values.length).toBe(clips.length * (FEATURES + 1));
  return clips.map((_, i) => {
    const at = i * (FEATURES + 1);
    return { features: values.subarray(at, at + FEATURES), probability: values[at + FEATURES]! };
  });
}
