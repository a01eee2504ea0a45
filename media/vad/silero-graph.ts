import { MediaError } from '../errors.js';
import type { ModelRecipe } from '../models/prepared-model.js';
import {
  onnxFloats,
  onnxInput,
  onnxIntegers,
  onnxNode,
  onnxOutput,
} from '../runtime/onnx-encode.js';
import { onnxConstants, withGraph } from '../runtime/onnx-graph.js';

/** Spectra per window, samples per spectrum, samples from one spectrum to the next. Source: the model's graph. */
export const SPECTRA = 4;
export const SPECTRUM = 256;
export const SPECTRUM_HOP = 128;
/** Values in each of the two state vectors of a stream. */
export const STATE = 128;

const BINS = SPECTRUM / 2 + 1;
const BASIS = 'stft.forward_basis_buffer';

/** The convolutions over time: output channels, stride, positions in input and output. */
const LAYERS = [
  { out: 128, step: 1, from: 4, to: 4 },
  { out: 64, step: 2, from: 4, to: 2 },
  { out: 64, step: 2, from: 2, to: 1 },
  { out: 128, step: 1, from: 1, to: 1 },
] as const;

type Weights = ReadonlyMap<string, Float32Array>;

/** File name in the prepared model. */
export const SILERO_BATCHED = 'batched.onnx';
/** Recipe of the VAD. */

export const SILERO_RECIPE: ModelRecipe = {
  name: 'silero',
  version: 1,
  prepare: (model) => new Map([[SILERO_BATCHED, batchedSilero(model)]]),
};

/**
 * Rewrites the VAD at 16 kHz for many streams in one run. The weights are the same; the convolutions, which
 * have few positions, become matrix products. The runtime computes the convolutions of a batch one by one,
 * and the product in a third of their time.
 *
 * Inputs: `frames` (`[4 · streams, 256]`, the overlapping frames of each window), `hidden` and `cell`
 * (`[streams, 128]`). Outputs: `probability` (`[streams, 1]`), `hiddenN` and `cellN`.
 *
 * @throws MediaError MODEL_CORRUPT
 */
export function batchedSilero(model: Uint8Array): Uint8Array {
  const weights = onnxConstants(model).find(
    (constants) => constants.get(BASIS)?.length === 2 * BINS * SPECTRUM,
  );
  if (!weights)
    throw new MediaError('MODEL_CORRUPT', 'The model file does not contain the Silero VAD');
  return withGraph(model, [
    ...['frames', 'hidden', 'cell'].map(onnxInput),
    ...['probability', 'hiddenN', 'cellN'].map(onnxOutput),
    ...spectra(weights),
    ...LAYERS.flatMap((_, i) => layer(weights, i)),
    ...lstm(weights),
  ]);
}

/** Magnitudes: `features0`, `[streams, 4 · 129]`. */
function spectra(weights: Weights): Uint8Array[] {
  return [
    onnxFloats('basis', [SPECTRUM, 2 * BINS], transposed(weightOf(weights, BASIS), SPECTRUM)),
    onnxIntegers('places', [-1, SPECTRA * BINS]),
    ...slices('squares', ['reals', 'imaginaries'], BINS),
    onnxNode('MatMul', ['frames', 'basis'], ['waves']),
    onnxNode('Mul', ['waves', 'waves'], ['squares']),
    onnxNode('Add', ['reals', 'imaginaries'], ['powers']),
    onnxNode('Sqrt', ['powers'], ['magnitudes']),
    onnxNode('Reshape', ['magnitudes', 'places'], ['features0']),
  ];
}

function layer(weights: Weights, i: number): Uint8Array[] {
  const { out, to } = LAYERS[i]!;
  const kernel = weightOf(weights, `encoder.${i}.reparam_conv.weight`);
  const bias = weightOf(weights, `encoder.${i}.reparam_conv.bias`);
  const matrix = expandedKernel(kernel, LAYERS[i]!);
  const biases = Float32Array.from({ length: to * out }, (_, k) => bias[k % out]!);
  return [
    onnxFloats(`weight${i}`, [matrix.length / (to * out), to * out], matrix),
    onnxFloats(`bias${i}`, [to * out], biases),
    onnxNode('Gemm', [`features${i}`, `weight${i}`, `bias${i}`], [`sum${i}`]),
    onnxNode('Relu', [`sum${i}`], [`features${i + 1}`]),
  ];
}

/** Expands a convolution of width 3, padded by one position on each side, into a matrix. */
function expandedKernel(kernel: Float32Array, { out, step, from, to }: (typeof LAYERS)[number]) {
  const channels = kernel.length / (3 * out);
  const matrix = new Float32Array(from * channels * to * out);
  for (let place = 0; place < to; place++) {
    for (let tap = 0; tap < 3; tap++) {
      const source = place * step + tap - 1;
      if (source < 0 || source >= from) continue;
      for (let channel = 0; channel < channels; channel++) {
        const row = (source * channels + channel) * to * out + place * out;
        for (let k = 0; k < out; k++) matrix[row + k] = kernel[(k * channels + channel) * 3 + tap]!;
      }
    }
  }
  return matrix;
}

/** One step of the LSTM and the output layer. */
function lstm(weights: Weights): Uint8Array[] {
  const input = weightOf(weights, 'decoder.rnn.weight_ih');
  const recurrent = weightOf(weights, 'decoder.rnn.weight_hh');
  const other = weightOf(weights, 'decoder.rnn.bias_hh');
  const bias = weightOf(weights, 'decoder.rnn.bias_ih').map((value, i) => value + other[i]!);
  return [
    onnxFloats('gateWeight', [STATE, 4 * STATE], transposed(input, STATE)),
    onnxFloats('recurrentWeight', [STATE, 4 * STATE], transposed(recurrent, STATE)),
    onnxFloats('gateBias', [4 * STATE], bias),
    onnxFloats('answerWeight', [STATE, 1], weightOf(weights, 'decoder.decoder.2.weight')),
    onnxFloats('answerBias', [1], weightOf(weights, 'decoder.decoder.2.bias')),
    onnxNode('Gemm', [`features${LAYERS.length}`, 'gateWeight', 'gateBias'], ['new']),
    onnxNode('Gemm', ['hidden', 'recurrentWeight'], ['old']),
    onnxNode('Add', ['new', 'old'], ['gates']),
    ...slices('gates', ['inSum', 'forgetSum', 'valueSum', 'outSum'], STATE),
    ...['in', 'forget', 'out'].map((gate) => onnxNode('Sigmoid', [`${gate}Sum`], [gate])),
    onnxNode('Tanh', ['valueSum'], ['value']),
    onnxNode('Mul', ['forget', 'cell'], ['kept']),
    onnxNode('Mul', ['in', 'value'], ['learnt']),
    onnxNode('Add', ['kept', 'learnt'], ['cellN']),
    onnxNode('Tanh', ['cellN'], ['shown']),
    onnxNode('Mul', ['out', 'shown'], ['hiddenN']),
    onnxNode('Relu', ['hiddenN'], ['said']),
    onnxNode('Gemm', ['said', 'answerWeight', 'answerBias'], ['answer']),
    onnxNode('Sigmoid', ['answer'], ['probability']),
  ];
}

/** Slices the columns of a tensor into parts of equal width. */
function slices(tensor: string, parts: readonly string[], width: number): Uint8Array[] {
  return parts.flatMap((part, i) => [
    onnxIntegers(`${part}From`, [i * width]),
    onnxIntegers(`${part}To`, [(i + 1) * width]),
    onnxIntegers(`${part}Axis`, [1]),
    onnxNode('Slice', [tensor, `${part}From`, `${part}To`, `${part}Axis`], [part]),
  ]);
}

/** Transposes a row-major matrix. */
function transposed(matrix: Float32Array, columns: number): Float32Array {
  const rows = matrix.length / columns;
  return Float32Array.from(matrix, (_, i) => matrix[(i % rows) * columns + Math.floor(i / rows)]!);
}

/** @throws MediaError MODEL_CORRUPT */
function weightOf(weights: Weights, name: string): Float32Array {
  const weight = weights.get(name);
  if (!weight)
    throw new MediaError('MODEL_CORRUPT', 'The model file does not contain the Silero VAD');
  return weight;
}
