import { MediaError } from '../../errors.js';
import type { OnnxGraph } from '../../runtime/onnx-graph.js';

/** Names of the tensors at which a voice's graph is cut or read. */
export interface HibariGraphSplit {
  /** `[1, channels, frames]`: all that the decoder knows. */
  readonly features: string;
  /** Pairs of frames of each id. */
  readonly durations: string;
  /** `[1, frames, 5 · 601]`: the outputs of the model before they are turned and split. */
  readonly spectra: string;
}

/**
 * Finds the seams by the shape of the graph, as names differ from export to export: the durations
 * come from its one Clip, the spectra are what is transposed and split into the five outputs, and the
 * features are the joined tensor nearest to them from which they can be computed alone.
 *
 * @throws MediaError MODEL_CORRUPT when the graph is of another shape.
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
  return new MediaError('MODEL_CORRUPT', 'A model file does not hold a hibari voice');
}
