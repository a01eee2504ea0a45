import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tensor } from 'onnxruntime-node';
import { FRAMES, MELS, SmartTurnFeatures } from '../endpointing/smart-turn-features.js';
import { runBehindCalls } from './background-thread.js';
import { loadOnce } from './load-once.js';
import { serveJobs } from './serve-jobs.js';
import { bytesOf, openSession } from './sessions.js';
import type { SmartTurnJobs } from './smart-turn.js';
import { leanTurnModel, TURN_OUTPUT } from './smart-turn-graph.js';

const features = new SmartTurnFeatures();
const { folder } = workerData as { folder: string };
const session = loadOnce(async () =>
  openSession(leanTurnModel(await bytesOf(join(folder, 'smart-turn-v3.2-cpu.onnx'))), {
    isQuantised: true,
  }),
);

runBehindCalls();
serveJobs<SmartTurnJobs>({
  completeness: async ({ samples }) => {
    const input = new Tensor('float32', features.extract(samples), [1, MELS, FRAMES]);
    const outputs = await (await session.get()).run({ input_features: input }, [TURN_OUTPUT]);
    return { output: (outputs[TURN_OUTPUT]!.data as Float32Array)[0]! };
  },
});
