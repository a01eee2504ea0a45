import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tensor } from 'onnxruntime-node';
import { VAD_WINDOW } from '../vad/voice-activity.js';
import { loadOnce } from './load-once.js';
import { serveJobs } from './serve-jobs.js';
import { bytesOf, openSession } from './sessions.js';
import type { SileroJobs } from './silero-voice-activity.js';

/** Samples of the window before that go along with each. Source: the model's own wrapper. */
const CONTEXT = 64;
const STATE = 128;
const INPUT = CONTEXT + VAD_WINDOW;

interface Line {
  readonly context: Float32Array;
  readonly state: Float32Array;
}

const { folder } = workerData as { folder: string };
const session = loadOnce(async () => openSession(await bytesOf(join(folder, 'silero_vad.onnx'))));
const rate = new Tensor('int64', BigInt64Array.of(16_000n), []);
const lines = new Map<number, Line>();

function lineOf(id: number): Line {
  let line = lines.get(id);
  if (!line) {
    line = { context: new Float32Array(CONTEXT), state: new Float32Array(2 * STATE) };
    lines.set(id, line);
  }
  return line;
}

serveJobs<SileroJobs>({
  /** One window a line, all in one run of the model. */
  windows: async ({ ids, samples, closed }) => {
    const probabilities = ids.length > 0 ? await run(ids, samples) : new Float32Array(0);
    // A line may have closed while its last window waited.
    for (const id of closed) lines.delete(id);
    return {
      output: { probabilities, samples },
      transfer: [probabilities.buffer, samples.buffer],
    };
  },
});

async function run(ids: readonly number[], samples: Float32Array) {
  const count = ids.length;
  const input = new Float32Array(count * INPUT);
  const state = new Float32Array(2 * count * STATE);
  ids.forEach((id, i) => {
    const line = lineOf(id);
    const window = samples.subarray(i * VAD_WINDOW, (i + 1) * VAD_WINDOW);
    input.set(line.context, i * INPUT);
    input.set(window, i * INPUT + CONTEXT);
    line.context.set(window.subarray(VAD_WINDOW - CONTEXT));
    for (let layer = 0; layer < 2; layer++) {
      const part = line.state.subarray(layer * STATE, (layer + 1) * STATE);
      state.set(part, (layer * count + i) * STATE);
    }
  });
  const outputs = await (await session.get()).run({
    input: new Tensor('float32', input, [count, INPUT]),
    state: new Tensor('float32', state, [2, count, STATE]),
    sr: rate,
  });
  const after = outputs.stateN!.data as Float32Array;
  ids.forEach((id, i) => {
    for (let layer = 0; layer < 2; layer++) {
      const from = (layer * count + i) * STATE;
      lineOf(id).state.set(after.subarray(from, from + STATE), layer * STATE);
    }
  });
  return Float32Array.from(outputs.output!.data as Float32Array);
}
