import { z } from 'zod';
import { MediaError } from '../../errors.js';
import type { ModelRecipe } from '../../models/prepared-model.js';
import { OnnxGraph, withUnsignedBytes } from '../../runtime/onnx-graph.js';

/** Names of the tensors at which a voice's graph is split or read. */
export const HibariGraphSplit = z.object({
  /** `[1, channels, frames]`: the decoder's input. */
  features: z.string(),
  /** Duration of each id in pairs of frames. */
  durations: z.string(),
  /** `[1, frames, 5 · 601]`: the outputs of the model before the transposition and the split. */
  spectra: z.string(),
});
export type HibariGraphSplit = Readonly<z.infer<typeof HibariGraphSplit>>;

/** File names in the prepared voice. */
export const HIBARI_FILES = {
  encoder: 'encoder.onnx',
  decoder: 'decoder.onnx',
  /** The `HibariGraphSplit` as JSON. */
  split: 'split.json',
} as const;

/**
 * Returns the recipe that splits a voice. Without exact products of unsigned and signed bytes, the int8 weights
 * become uint8, which gives the same sums. With exact products, uint8 weights would take 50 % more time.
 * @param isExact - result of `hasExactInt8`
 */
export function hibariRecipe(isExact: boolean): ModelRecipe {
  return {
    name: isExact ? 'hibari' : 'hibari-unsigned',
    version: 1,
    prepare: (model) => {
      const original = new OnnxGraph(model);
      const graph = isExact ? original : new OnnxGraph(withUnsignedWeights(original, model));
      const split = splitHibariGraph(graph);
      const { features, durations, spectra } = split;
      return new Map([
        [HIBARI_FILES.encoder, graph.part([features, durations, 'f0'])],
        [HIBARI_FILES.decoder, graph.part([spectra], [features])],
        [HIBARI_FILES.split, new TextEncoder().encode(JSON.stringify(split))],
      ]);
    },
  };
}

/** Adds 128 to the weights of all integer products and to their zero points. */
function withUnsignedWeights({ nodes }: OnnxGraph, model: Uint8Array): Uint8Array {
  const products = nodes.filter(
    ({ operator, inputs }) => operator === 'MatMulInteger' && inputs[3],
  );
  return withUnsignedBytes(
    model,
    new Set(products.flatMap(({ inputs }) => [inputs[1]!, inputs[3]!])),
  );
}

/**
 * Finds the tensors by the graph's structure, because names differ between exports. The durations are the
 * output of the only Clip operator. The spectra are transposed and split into the five outputs. The
 * features are the concatenation nearest to the spectra from which these can be computed alone.
 *
 * @throws MediaError MODEL_CORRUPT for a graph of another structure
 */
export function splitHibariGraph(graph: OnnxGraph): HibariGraphSplit {
  const split = graph.makerOf('lh');
  const turned = split?.operator === 'Split' ? graph.makerOf(split.inputs[0] ?? '') : undefined;
  const spectra = turned?.operator === 'Transpose' ? turned.inputs[0] : undefined;
  const clips = graph.nodes.filter((node) => node.operator === 'Clip');
  const durations = clips.length === 1 ? clips[0]?.outputs[0] : undefined;
  if (!spectra || !durations || !graph.makerOf('f0')) throw unlikeHibari();
  const needed = graph.needsOf([spectra]);
  const [nearest] = graph.nodes
    .filter(
      ({ operator, outputs: [joined] }) => operator === 'Concat' && joined && needed.has(joined),
    )
    .filter(({ outputs }) => graph.isDeterminedBy([spectra], outputs))
    .map(({ outputs }) => ({ name: outputs[0]!, size: graph.needsOf([spectra], outputs).size }))
    .sort((one, other) => one.size - other.size);
  if (!nearest) throw unlikeHibari();
  return { features: nearest.name, durations, spectra };
}

function unlikeHibari(): MediaError {
  return new MediaError('MODEL_CORRUPT', 'The model file does not contain a hibari voice');
}
