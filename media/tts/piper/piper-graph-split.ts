import {
  type OnnxGraph,
  type OnnxSubstitutes,
  onnxInput,
  onnxIntegers,
  onnxNode,
} from '../../runtime/onnx-graph.js';

/** Names of the tensors at which the graph of a Piper voice is cut or read. */
export interface PiperGraphSplit {
  /** `[1, channels, frames]`: all that the decoder knows of the sound. */
  readonly latent: string;
  /**
   * `[1, channels, frames]` and `[1, 1, frames]`: what the flow makes the latent of, and the mask of
   * the frames that count, which are all. Absent where the flow cannot run on its own.
   */
  readonly flow: { readonly source: string; readonly mask: string } | undefined;
  /** Frames of each id, if the graph has them in one place. */
  readonly durations: string | undefined;
  /** Whether its noise can be given to it. */
  readonly hasNoiseInput: boolean;
}

/** The output of every Piper voice. */
export const SOUND = 'output';
/** Our own input: normal noise, `[1, channels, frames]`, at least as large as any that is drawn. */
export const NOISE = 'parley_noise';
const RANDOM = 'RandomNormalLike';

/**
 * Finds the seams by the shape of the graph, as names differ from export to export: the latent is what
 * the convolution before the first upsampling reads, if the sound can be computed from it alone; the
 * durations are what is rounded up.
 *
 * @returns undefined for a graph of another shape, which can only run whole.
 */
export function splitPiperGraph(graph: OnnxGraph): PiperGraphSplit | undefined {
  const ups = graph.nodes.filter(({ operator }) => operator === 'ConvTranspose');
  const first = ups.find(({ inputs: [source = ''] }) => {
    const needed = graph.needsOf([source]);
    return !ups.some(({ outputs }) => needed.has(outputs[0] ?? ''));
  });
  const activation = graph.makerOf(first?.inputs[0] ?? '');
  const isActivated = activation?.operator === 'LeakyRelu';
  const convolution = isActivated ? graph.makerOf(activation.inputs[0] ?? '') : activation;
  const latent = convolution?.operator === 'Conv' ? convolution.inputs[0] : undefined;
  if (!latent || !graph.makerOf(latent) || !graph.isDeterminedBy([SOUND], [latent])) {
    return undefined;
  }
  const rounded = graph.nodes.filter(({ operator }) => operator === 'Ceil');
  const random = graph.nodes.filter(({ operator }) => operator.startsWith('Random'));
  return {
    latent,
    flow: flowSeam(graph, latent),
    durations: rounded.length === 1 ? rounded[0]?.outputs[0] : undefined,
    hasNoiseInput: random.length > 0 && random.every(({ operator }) => operator === RANDOM),
  };
}

/** The source is the sum that ends in the noise, the mask what the latent is multiplied by last. */
function flowSeam(graph: OnnxGraph, latent: string): PiperGraphSplit['flow'] {
  const last = graph.makerOf(latent);
  const masked = graph.needsOf([latent]);
  const random = graph.nodes.filter(
    ({ operator, outputs }) => operator === RANDOM && masked.has(outputs[0] ?? ''),
  );
  if (last?.operator !== 'Mul') return undefined;
  for (const { outputs } of random) {
    let source = outputs[0];
    for (const operator of ['Mul', 'Mul', 'Add']) {
      const reader = graph.nodes.find((node) => node.inputs.includes(source ?? ''));
      source = reader?.operator === operator ? reader.outputs[0] : undefined;
    }
    const mask = last.inputs.find((name) => source && !graph.needsOf([name]).has(source));
    if (source && mask && graph.isDeterminedBy([latent], [source, mask])) return { source, mask };
  }
  return undefined;
}

/** Takes the graph's noise from the input `NOISE`, so that a seed makes a sound repeatable. */
export function noiseFromInput(graph: OnnxGraph): OnnxSubstitutes {
  const random = graph.nodes.filter(({ operator }) => operator === RANDOM);
  const fields = random.flatMap(({ inputs: [like = ''], outputs: [drawn = ''] }, i) => {
    const shape = `parley_shape_${i}`;
    const end = `parley_end_${i}`;
    return [
      onnxNode('Shape', [like], [shape]),
      onnxNode('Slice', [shape, 'parley_one', 'parley_three'], [end]),
      onnxNode('Slice', [NOISE, 'parley_origin', end, 'parley_axes'], [drawn]),
    ];
  });
  return {
    names: random.map(({ outputs }) => outputs[0] ?? ''),
    needs: random.map(({ inputs }) => inputs[0] ?? ''),
    fields: [
      ...fields,
      onnxIntegers('parley_one', [1]),
      onnxIntegers('parley_three', [3]),
      onnxIntegers('parley_origin', [0, 0]),
      onnxIntegers('parley_axes', [1, 2]),
      onnxInput(NOISE),
    ],
  };
}
