import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { preparedFile } from '../../../../media/models/prepared-model.js';
import { hasExactInt8 } from '../../../../media/runtime/int8-precision.js';
import { OnnxModel } from '../../../../media/runtime/onnx-session.js';
import { HIBARI_FILES, hibariRecipe } from '../../../../media/tts/hibari/hibari-graph-split.js';
import { ENGLISH_VOICE } from '../../../support/harness/audio/english-front-end.js';

const model = readFileSync(join(ENGLISH_VOICE, 'hibari.onnx'));
const ids = [0, ...Array.from({ length: 60 }, (_, i) => 43 + ((i * 37) % 80)), 0];

/** All outputs of the encoder. */
async function encode(isExact: boolean) {
  const prepared = await hibariRecipe(isExact).prepare(model, undefined);
  const encoder = await OnnxModel.load(preparedFile(prepared, HIBARI_FILES.encoder));
  const outputs = await encoder.run({
    ids: { data: BigInt64Array.from(ids, BigInt), dims: [1, ids.length] },
    speed: { data: Float32Array.of(1), dims: [1] },
  });
  return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data]));
}

it.runIf(await hasExactInt8())('unsigned weights give the same values', async () => {
  const signed = await encode(true);
  expect(Object.keys(signed)).toHaveLength(3);
  expect(await encode(false)).toEqual(signed);
});
