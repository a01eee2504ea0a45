import { readModelFile } from '../../models/model-file.js';
import { preparedFile, preparedJson, prepareModel } from '../../models/prepared-model.js';
import { ONNX_RUNTIME_VERSION, OnnxModel } from '../../runtime/onnx-session.js';
import { PIPER_FILES, PIPER_RECIPE, PiperGraphSplit } from './piper-graph-split.js';

/** The models of a voice: in parts, or as one model if its graph cannot be split. */
export type PiperSessions =
  | {
      readonly type: 'split';
      readonly encoder: OnnxModel;
      /** Absent if the encoder computes the latent. */
      readonly flow: OnnxModel | undefined;
      readonly decoder: OnnxModel;
      readonly split: PiperGraphSplit;
    }
  | { readonly type: 'whole'; readonly model: OnnxModel };

/**
 * Loads a voice, in parts if possible.
 * @param preparedFolder - folder of prepared models; undefined prepares in memory
 * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
 */
export async function openPiperSessions(
  modelFile: string,
  preparedFolder: string | undefined,
): Promise<PiperSessions> {
  const prepared = await prepareModel(modelFile, PIPER_RECIPE, {
    folder: preparedFolder,
    runtimeVersion: ONNX_RUNTIME_VERSION,
  });
  if (!prepared.has(PIPER_FILES.split)) return openWhole(modelFile);
  const split = preparedJson(prepared, PIPER_FILES.split, PiperGraphSplit);
  const open = (name: string) => OnnxModel.load(preparedFile(prepared, name));
  return {
    type: 'split',
    encoder: await open(PIPER_FILES.encoder),
    flow: split.flow && (await open(PIPER_FILES.flow)),
    decoder: await open(PIPER_FILES.decoder),
    split,
  };
}

/** Loads a voice without splitting it. @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
export async function openWhole(modelFile: string): Promise<PiperSessions> {
  return { type: 'whole', model: await OnnxModel.load(await readModelFile(modelFile)) };
}
