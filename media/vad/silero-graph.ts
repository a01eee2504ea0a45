import { MediaError } from '../errors.js';
import {
  onnxConstants,
  onnxFloats,
  onnxInput,
  onnxIntegers,
  onnxNode,
  onnxOutput,
  withGraph,
} from '../runtime/onnx-graph.js';

/** Spectra of one window, samples in each, from one to the next. Source: the model's own graph. */
export const SPECTRA = 4;
export const SPECTRUM = 256;
export const SPECTRUM_HOP = 128;
/** Values of the state that a line keeps, twice. */
export const STATE = 128;

const BINS = SPECTRUM / 2 + 1;
const BASIS = 'stft.forward_basis_buffer';

/** The convolutions over time: channels out, step and places before and after. */
const LAYERS = [
  { out: 128, step: 1, from: 4, to: 4 },
  { out: 64, step: 2, from: 4, to: 2 },
  { out: 64, step: 2, from: 2, to: 1 },
  { out: 128, step: 1, from: 1, to: 1 },
] as const;

type Weights = ReadonlyMap<string, Float32Array>;

/**
 * The VAD at 16 kHz for many lines at once: the same weights, with convolutions over so few places
 * written out as products of matrices. The runtime goes through a batch of convolutions one by one, and
 * through one product at once, in a third of the time.
 *
 * It takes `frames` (`[4 · lines, 256]`, the overlapping pieces of each window), `hidden` and `cell`
 * (`[lines, 128]`), and gives `probability` (`[lines, 1]`), `hiddenN` and `cellN`.
 *
 * @throws MediaError MODEL_CORRUPT
 */
export function batchedSilero(model: Uint8Array): Uint8Array {
  const weights = onnxConstants(model).find(
    (constants) => constants.get(BASIS)?.length === 2 * BINS * SPECTRUM,
  );
  if (!weights) throw new MediaError('MODEL_CORRUPT', 'A model file does not hold the VAD');
  return withGraph(model, [
    ...['frames', 'hidden', 'cell'].map(onnxInput),
    ...['probability', 'hiddenN', 'cellN'].map(onnxOutput),
    ...spectra(weights),
    ...LAYERS.flatMap((_, i) => layer(weights, i)),
    ...memory(weights),
  ]);
}

/** Magnitudes: `heard0`, `[lines, 4 · 129]`. */
function spectra(weights: Weights): Uint8Array[] {
  return [
    onnxFloats('basis', [SPECTRUM, 2 * BINS], turned(weightOf(weights, BASIS), SPECTRUM)),
    onnxIntegers('places', [-1, SPECTRA * BINS]),
    ...cuts('squares', ['reals', 'imaginaries'], BINS),
    onnxNode('MatMul', ['frames', 'basis'], ['waves']),
    onnxNode('Mul', ['waves', 'waves'], ['squares']),
    onnxNode('Add', ['reals', 'imaginaries'], ['powers']),
    onnxNode('Sqrt', ['powers'], ['magnitudes']),
    onnxNode('Reshape', ['magnitudes', 'places'], ['heard0']),
  ];
}

function layer(weights: Weights, i: number): Uint8Array[] {
  const { out, to } = LAYERS[i]!;
  const kernel = weightOf(weights, `encoder.${i}.reparam_conv.weight`);
  const bias = weightOf(weights, `encoder.${i}.reparam_conv.bias`);
  const matrix = writtenOut(kernel, LAYERS[i]!);
  const biases = Float32Array.from({ length: to * out }, (_, k) => bias[k % out]!);
  return [
    onnxFloats(`weight${i}`, [matrix.length / (to * out), to * out], matrix),
    onnxFloats(`bias${i}`, [to * out], biases),
    onnxNode('Gemm', [`heard${i}`, `weight${i}`, `bias${i}`], [`sum${i}`]),
    onnxNode('Relu', [`sum${i}`], [`heard${i + 1}`]),
  ];
}

/** A convolution of width 3, padded by one place on each side, as one matrix. */
function writtenOut(kernel: Float32Array, { out, step, from, to }: (typeof LAYERS)[number]) {
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

/** One step of the LSTM, and what it says. */
function memory(weights: Weights): Uint8Array[] {
  const input = weightOf(weights, 'decoder.rnn.weight_ih');
  const recurrent = weightOf(weights, 'decoder.rnn.weight_hh');
  const other = weightOf(weights, 'decoder.rnn.bias_hh');
  const bias = weightOf(weights, 'decoder.rnn.bias_ih').map((value, i) => value + other[i]!);
  return [
    onnxFloats('gateWeight', [STATE, 4 * STATE], turned(input, STATE)),
    onnxFloats('recurrentWeight', [STATE, 4 * STATE], turned(recurrent, STATE)),
    onnxFloats('gateBias', [4 * STATE], bias),
    onnxFloats('answerWeight', [STATE, 1], weightOf(weights, 'decoder.decoder.2.weight')),
    onnxFloats('answerBias', [1], weightOf(weights, 'decoder.decoder.2.bias')),
    onnxNode('Gemm', [`heard${LAYERS.length}`, 'gateWeight', 'gateBias'], ['new']),
    onnxNode('Gemm', ['hidden', 'recurrentWeight'], ['old']),
    onnxNode('Add', ['new', 'old'], ['gates']),
    ...cuts('gates', ['inSum', 'forgetSum', 'valueSum', 'outSum'], STATE),
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

/** Cuts the columns of a tensor into pieces of one width. */
function cuts(tensor: string, pieces: readonly string[], width: number): Uint8Array[] {
  return pieces.flatMap((piece, i) => [
    onnxIntegers(`${piece}From`, [i * width]),
    onnxIntegers(`${piece}To`, [(i + 1) * width]),
    onnxIntegers(`${piece}Axis`, [1]),
    onnxNode('Slice', [tensor, `${piece}From`, `${piece}To`, `${piece}Axis`], [piece]),
  ]);
}

/** Rows become columns. */
function turned(matrix: Float32Array, columns: number): Float32Array {
  const rows = matrix.length / columns;
  return Float32Array.from(matrix, (_, i) => matrix[(i % rows) * columns + Math.floor(i / rows)]!);
}

/** @throws MediaError MODEL_CORRUPT */
function weightOf(weights: Weights, name: string): Float32Array {
  const weight = weights.get(name);
  if (!weight) throw new MediaError('MODEL_CORRUPT', 'A model file does not hold the VAD');
  return weight;
}
