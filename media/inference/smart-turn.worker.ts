import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tensor } from 'onnxruntime-node';
import { FRAMES, MELS, SmartTurnFeatures } from '../endpointing/smart-turn-features.js';
import { serveJobs } from './serve-jobs.js';
import { bytesOf, openSession } from './sessions.js';
import type { SmartTurnJobs } from './smart-turn.js';

const features = new SmartTurnFeatures();
const { folder } = workerData as { folder: string };
const session = bytesOf(join(folder, 'smart-turn-v3.2-cpu.onnx')).then(openSession);
// Told to each job; without this line the first failure would end the process.
session.catch(() => undefined);

serveJobs<SmartTurnJobs>({
  completeness: async ({ samples }) => {
    const input = new Tensor('float32', features.extract(samples), [1, MELS, FRAMES]);
    // The output bears the name of logits but is a probability already.
    const { logits } = await (await session).run({ input_features: input });
    return { output: (logits!.data as Float32Array)[0]! };
  },
});
