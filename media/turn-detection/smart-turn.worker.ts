import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tensor } from 'onnxruntime-node';
import { lazy } from '../runtime/lazy.js';
import { bytesOf, openSession } from '../runtime/onnx-session.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { lowerThreadPriority } from '../runtime/thread-priority.js';
import type { SmartTurnJobs } from './smart-turn.js';
import { FRAMES, MELS, SmartTurnFeatures } from './smart-turn-features.js';
import { simplifyTurnModel, TURN_OUTPUT } from './smart-turn-graph.js';

const features = new SmartTurnFeatures();
const { folder } = workerData as { folder: string };
const session = lazy(async () =>
  openSession(simplifyTurnModel(await bytesOf(join(folder, 'smart-turn-v3.2-cpu.onnx'))), {
    isQuantised: true,
  }),
);

lowerThreadPriority();
serveJobs<SmartTurnJobs>({
  completeness: async ({ samples }) => {
    const input = new Tensor('float32', features.extract(samples), [1, MELS, FRAMES]);
    const outputs = await (await session.get()).run({ input_features: input }, [TURN_OUTPUT]);
    return { output: (outputs[TURN_OUTPUT]!.data as Float32Array)[0]! };
  },
});
