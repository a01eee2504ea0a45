import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { readModelFile } from '../models/model-file.js';
import { lazy } from '../runtime/lazy.js';
import { floatsOf, OnnxModel } from '../runtime/onnx-session.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { lowerThreadPriority } from '../runtime/thread-priority.js';
import type { SmartTurnJobs } from './smart-turn.js';
import { FRAMES, MELS, SmartTurnFeatures } from './smart-turn-features.js';
import { simplifyTurnModel, TURN_OUTPUT } from './smart-turn-graph.js';

const features = new SmartTurnFeatures();
const { folder } = workerData as { folder: string };
const model = lazy(async () => {
  const file = await readModelFile(join(folder, 'smart-turn-v3.2-cpu.onnx'));
  return OnnxModel.load(simplifyTurnModel(file), { isQuantised: true });
});

lowerThreadPriority();
serveJobs<SmartTurnJobs>({
  completeness: async ({ samples }) => {
    const input = { data: features.extract(samples), dims: [1, MELS, FRAMES] };
    const outputs = await (await model.get()).run({ input_features: input }, [TURN_OUTPUT]);
    return { output: floatsOf(outputs[TURN_OUTPUT])[0]! };
  },
});
