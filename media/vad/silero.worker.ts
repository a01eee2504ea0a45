import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tensor } from 'onnxruntime-node';
import { lazy } from '../runtime/lazy.js';
import { bytesOf, openSession } from '../runtime/onnx-session.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { batchedSilero, SPECTRA, SPECTRUM, SPECTRUM_HOP, STATE } from './silero-graph.js';
import type { SileroJobs } from './silero-voice-activity.js';
import { VAD_WINDOW } from './voice-activity.js';

/** Samples of the window before that go along with each. Source: the model's own wrapper. */
const CONTEXT = 64;
/** So many samples are mirrored behind the window. */
const MIRRORED = 64;
const INPUT = CONTEXT + VAD_WINDOW;

interface Line {
  readonly context: Float32Array;
  readonly hidden: Float32Array;
  readonly cell: Float32Array;
}

const { folder } = workerData as { folder: string };
const session = lazy(async () =>
  openSession(batchedSilero(await bytesOf(join(folder, 'silero_vad.onnx')))),
);
/** One window between what comes before it and its own mirrored end. */
const heard = new Float32Array(INPUT + MIRRORED);
const lines = new Map<number, Line>();

function lineOf(id: number): Line {
  let line = lines.get(id);
  if (!line) {
    line = {
      context: new Float32Array(CONTEXT),
      hidden: new Float32Array(STATE),
      cell: new Float32Array(STATE),
    };
    lines.set(id, line);
  }
  return line;
}

serveJobs<SileroJobs>({
  /** One window a line, all in one run of the model. */
  windows: async ({ ids, samples, closed }) => {
    try {
      const probabilities = ids.length > 0 ? await run(ids, samples) : new Float32Array(0);
      return {
        output: { probabilities, samples },
        transfer: [probabilities.buffer, samples.buffer],
      };
    } finally {
      // A line may have closed while its last window waited.
      for (const id of closed) lines.delete(id);
    }
  },
});

async function run(ids: readonly number[], samples: Float32Array) {
  const count = ids.length;
  const frames = new Float32Array(count * SPECTRA * SPECTRUM);
  const hidden = new Float32Array(count * STATE);
  const cell = new Float32Array(count * STATE);
  ids.forEach((id, i) => {
    const line = lineOf(id);
    const window = samples.subarray(i * VAD_WINDOW, (i + 1) * VAD_WINDOW);
    listen(line.context, window);
    for (let k = 0; k < SPECTRA; k++) {
      const from = k * SPECTRUM_HOP;
      frames.set(heard.subarray(from, from + SPECTRUM), (i * SPECTRA + k) * SPECTRUM);
    }
    line.context.set(window.subarray(VAD_WINDOW - CONTEXT));
    hidden.set(line.hidden, i * STATE);
    cell.set(line.cell, i * STATE);
  });
  const outputs = await (await session.get()).run({
    frames: new Tensor('float32', frames, [count * SPECTRA, SPECTRUM]),
    hidden: new Tensor('float32', hidden, [count, STATE]),
    cell: new Tensor('float32', cell, [count, STATE]),
  });
  const hiddenAfter = outputs.hiddenN!.data as Float32Array;
  const cellAfter = outputs.cellN!.data as Float32Array;
  ids.forEach((id, i) => {
    const line = lineOf(id);
    line.hidden.set(hiddenAfter.subarray(i * STATE, (i + 1) * STATE));
    line.cell.set(cellAfter.subarray(i * STATE, (i + 1) * STATE));
  });
  return Float32Array.from(outputs.probability!.data as Float32Array);
}

/** Puts a window where its spectra are taken from. */
function listen(context: Float32Array, window: Float32Array): void {
  heard.set(context);
  heard.set(window, CONTEXT);
  for (let i = 0; i < MIRRORED; i++) heard[INPUT + i] = heard[INPUT - 2 - i]!;
}
