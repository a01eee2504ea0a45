import {
  EMPTY_MODEL,
  onnxBytes,
  onnxFloats,
  onnxInput,
  onnxNode,
  onnxOutput,
} from './onnx-encode.js';
import { withGraph } from './onnx-graph.js';
import { floatsOf, OnnxModel } from './onnx-session.js';

/** Rows, inner length and columns of the product: large enough for the runtime's block kernels. */
const ROWS = 8;
const LENGTH = 64;
const COLUMNS = 32;

/**
 * Tests whether the ONNX runtime multiplies unsigned by signed bytes exactly on this processor. Without VNNI
 * (AMD before Zen 4, Intel before Cascade Lake), its x64 kernels add two products in 16 bits, which can
 * overflow. The test multiplies the largest values and checks the sum. It takes about 1 ms.
 */
export async function hasExactInt8(): Promise<boolean> {
  const model = await OnnxModel.load(
    withGraph(EMPTY_MODEL, [
      onnxInput('values'),
      onnxOutput('product'),
      onnxBytes('weights', [LENGTH, COLUMNS], new Int8Array(LENGTH * COLUMNS).fill(127)),
      onnxFloats('scale', [], Float32Array.of(1)),
      onnxNode(
        'DynamicQuantizeMatMul',
        ['values', 'weights', 'scale'],
        ['product'],
        'com.microsoft',
      ),
    ]),
  );
  const ones = new Float32Array(ROWS * LENGTH).fill(1);
  const { product } = await model.run({ values: { data: ones, dims: [ROWS, LENGTH] } });
  return floatsOf(product).every((sum) => Math.abs(sum - LENGTH * 127) < 1);
}
