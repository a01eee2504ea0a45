import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { type PreparedModelFiles, preparedFile, prepareModel } from '../models/prepared-model.js';
import { lazy } from '../runtime/lazy.js';
import { floatsOf, ONNX_RUNTIME_VERSION, OnnxModel } from '../runtime/onnx-session.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { lowerThreadPriority } from '../runtime/thread-priority.js';
import type { SmartTurnJobs } from './smart-turn.js';
import { FRAMES, MELS, SmartTurnFeatures } from './smart-turn-features.js';
import { SMART_TURN_RECIPE, SMART_TURN_SIMPLIFIED, TURN_OUTPUT } from './smart-turn-graph.js';

const features = new SmartTurnFeatures();
const { folder, preparedFolder } = workerData as PreparedModelFiles;
const model = lazy(async () => {
  const file = join(folder, 'smart-turn-v3.2-cpu.onnx');
  const prepared = await prepareModel(file, SMART_TURN_RECIPE, {
    folder: preparedFolder,
    runtimeVersion: ONNX_RUNTIME_VERSION,
  });
  return OnnxModel.load(preparedFile(prepared, SMART_TURN_SIMPLIFIED), { isQuantised: true });
});

lowerThreadPriority();
serveJobs<SmartTurnJobs>({
  completeness: async ({ samples }) => {
    const input = { data: features.extract(samples), dims: [1, MELS, FRAMES] };
    const outputs = await (await model.get()).run({ input_features: input }, [TURN_OUTPUT]);
    return { output: floatsOf(outputs[TURN_OUTPUT])[0]! };
  },
});
