import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readModelFile } from '../../models/model-file.js';
import { OnnxGraph } from '../../runtime/onnx-graph.js';
import { OnnxModel } from '../../runtime/onnx-session.js';
import {
  noiseFromInput,
  type PiperGraphSplit,
  SOUND,
  splitPiperGraph,
} from './piper-graph-split.js';

/** A voice cut in two, or whole where no seam was found. */
export type PiperSessions =
  | {
      readonly type: 'cut';
      readonly encoder: OnnxModel;
      /** Absent where the encoder makes the latent itself. */
      readonly flow: OnnxModel | undefined;
      readonly decoder: OnnxModel;
      readonly seams: PiperGraphSplit;
    }
  | { readonly type: 'whole'; readonly session: OnnxModel };

/** Counts up when a voice is cut in another way. */
const CUT_VERSION = 2;
const ENCODER = 'encoder.onnx';
const FLOW = 'flow.onnx';
const DECODER = 'decoder.onnx';
const SEAMS = 'seams.json';

/**
 * Loads a voice. It is cut once: the parts are kept by the hash of the whole, as cutting and what the
 * runtime makes of it take longer than all else.
 *
 * @param cutFolder where the parts are kept; one that cannot be written does no harm.
 * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
 */
export async function openPiperSessions(
  modelFile: string,
  cutFolder: string | undefined,
): Promise<PiperSessions> {
  const model = await readModelFile(modelFile);
  const hash = createHash('sha256').update(model).digest('hex');
  const own = cutFolder && join(cutFolder, `${hash.slice(0, 32)}-${CUT_VERSION}`);
  return (own && (await openKept(own))) || cut(model, own);
}

/** Undefined when there are no parts that can be loaded. */
async function openKept(folder: string): Promise<PiperSessions | undefined> {
  try {
    const seams = JSON.parse(await readFile(join(folder, SEAMS), 'utf8')) as PiperGraphSplit;
    const encoder = await OnnxModel.load(await readModelFile(join(folder, ENCODER)));
    const flow = seams.flow && (await OnnxModel.load(await readModelFile(join(folder, FLOW))));
    const decoder = await OnnxModel.load(await readModelFile(join(folder, DECODER)));
    return { type: 'cut', encoder, flow, decoder, seams };
  } catch {
    // Not cut yet, or damaged: it is cut anew.
    return undefined;
  }
}

async function cut(model: Uint8Array, folder: string | undefined): Promise<PiperSessions> {
  const graph = new OnnxGraph(model);
  const seams = splitPiperGraph(graph);
  if (!seams) return { type: 'whole', session: await OnnxModel.load(model) };
  const { latent, flow, durations } = seams;
  const outputs = [flow?.source ?? latent, ...(durations ? [durations] : [])];
  const noise = seams.hasNoiseInput ? noiseFromInput(graph) : undefined;
  const parts = {
    encoder: graph.part(outputs, [], noise),
    flow: flow && graph.part([latent], [flow.source, flow.mask]),
    decoder: graph.part([SOUND], [latent]),
    seams,
  };
  return (folder && (await keep(parts, folder))) || open(parts);
}

/** The voice as it is, for one that cannot be cut. @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
export async function openWhole(modelFile: string): Promise<PiperSessions> {
  return { type: 'whole', session: await OnnxModel.load(await readModelFile(modelFile)) };
}

interface Parts {
  readonly encoder: Uint8Array;
  readonly flow: Uint8Array | undefined;
  readonly decoder: Uint8Array;
  readonly seams: PiperGraphSplit;
}

async function open({ encoder, flow, decoder, seams }: Parts): Promise<PiperSessions> {
  return {
    type: 'cut',
    encoder: await OnnxModel.load(encoder),
    flow: flow && (await OnnxModel.load(flow)),
    decoder: await OnnxModel.load(decoder),
    seams,
  };
}

/** Keeps the parts, at once or not at all, and loads them. Undefined where nothing can be written. */
async function keep(parts: Parts, folder: string): Promise<PiperSessions | undefined> {
  const working = await mkdir(join(folder, '..'), { recursive: true })
    .then(() => mkdtemp(`${folder}.`))
    .catch(() => undefined);
  if (working === undefined) return undefined;
  try {
    const encoder = await OnnxModel.load(parts.encoder, { preparedFile: join(working, ENCODER) });
    if (parts.flow) await writeFile(join(working, FLOW), parts.flow);
    await writeFile(join(working, DECODER), parts.decoder);
    await writeFile(join(working, SEAMS), JSON.stringify(parts.seams));
    await rm(folder, { recursive: true, force: true });
    await rename(working, folder);
    const flow = parts.flow && (await OnnxModel.load(parts.flow));
    const decoder = await OnnxModel.load(parts.decoder);
    return { type: 'cut', encoder, flow, decoder, seams: parts.seams };
  } catch {
    // A full disk, or another process that was first: the parts are made in memory.
    await rm(working, { recursive: true, force: true });
    return undefined;
  }
}
