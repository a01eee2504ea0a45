import { join } from 'node:path';
import { z } from 'zod';
import type { ModelRecipe } from '../../models/prepared-model.js';
import { onnxInput, onnxIntegers, onnxNode } from '../../runtime/onnx-encode.js';
import { OnnxGraph, type OnnxSubstitutes } from '../../runtime/onnx-graph.js';
import { OnnxModel } from '../../runtime/onnx-session.js';

/** Names of the tensors at which the graph of a Piper voice is split or read. */
export const PiperGraphSplit = z.object({
  /** `[1, channels, frames]`: the decoder's input. */
  latent: z.string(),
  /**
   * `[1, channels, frames]` and `[1, 1, frames]`: the flow's input and the mask of valid frames. Here all frames are
   * valid. Absent if the flow cannot run separately.
   */
  flow: z.object({ source: z.string(), mask: z.string() }).optional(),
  /** Frames of each id. Absent if the graph has no such tensor or several. */
  durations: z.string().optional(),
  /** The graph's noise can be replaced by an input. */
  hasNoiseInput: z.boolean(),
});
export type PiperGraphSplit = Readonly<z.infer<typeof PiperGraphSplit>>;

/** Name of the output of Piper voices: the samples. */
export const SOUND = 'output';
/**
 * Name of an added input: normal noise, `[1, channels, frames]`, with at least the frames of each noise tensor of the
 * graph.
 */
export const NOISE = 'parley_noise';
const RANDOM = 'RandomNormalLike';

/** File names in the prepared voice; all are absent for a voice that cannot be split. */
export const PIPER_FILES = {
  encoder: 'encoder.onnx',
  flow: 'flow.onnx',
  decoder: 'decoder.onnx',
  /** The `PiperGraphSplit` as JSON. */
  split: 'split.json',
} as const;

/**
 * Splits a voice. The encoder is stored after the optimisation by the runtime, because that takes longer than all
 * other steps of loading.
 */
export const PIPER_RECIPE: ModelRecipe = {
  name: 'piper',
  version: 1,
  prepare: async (model, workFolder) => {
    const graph = new OnnxGraph(model);
    const split = splitPiperGraph(graph);
    if (!split) return new Map();
    const { latent, flow, durations } = split;
    const outputs = [flow?.source ?? latent, ...(durations ? [durations] : [])];
    const encoder = graph.part(
      outputs,
      [],
      split.hasNoiseInput ? noiseFromInput(graph) : undefined,
    );
    const files = new Map<string, Uint8Array>();
    const workFile = workFolder && join(workFolder, PIPER_FILES.encoder);
    files.set(
      PIPER_FILES.encoder,
      workFile ? await OnnxModel.optimise(encoder, workFile) : encoder,
    );
    if (flow) files.set(PIPER_FILES.flow, graph.part([latent], [flow.source, flow.mask]));
    files.set(PIPER_FILES.decoder, graph.part([SOUND], [latent]));
    files.set(PIPER_FILES.split, new TextEncoder().encode(JSON.stringify(split)));
    return files;
  },
};

/**
 * Finds the tensors at which to split by the graph's structure, because names differ between exports. The
 * latent is the input of the convolution before the first upsampling, if the audio can be computed from it
 * alone. The durations are the output of the only Ceil operator.
 *
 * @returns undefined for a graph of another structure, which cannot be split
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
    flow: findFlow(graph, latent),
    durations: rounded.length === 1 ? rounded[0]?.outputs[0] : undefined,
    hasNoiseInput: random.length > 0 && random.every(({ operator }) => operator === RANDOM),
  };
}

/** Finds the flow. Its source is the sum with the noise; its mask is the factor of its last multiplication. */
function findFlow(graph: OnnxGraph, latent: string): PiperGraphSplit['flow'] {
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

/** Replaces the graph's random noise with slices of the input `NOISE`, so that equal seeds give equal audio. */
function noiseFromInput(graph: OnnxGraph): OnnxSubstitutes {
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
