import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { type PreparedModelFiles, preparedFile, prepareModel } from '../models/prepared-model.js';
import { lazy } from '../runtime/lazy.js';
import { floatsOf, ONNX_RUNTIME_VERSION, OnnxModel } from '../runtime/onnx-session.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import {
  SILERO_BATCHED,
  SILERO_RECIPE,
  SPECTRA,
  SPECTRUM,
  SPECTRUM_HOP,
  STATE,
} from './silero-graph.js';
import type { SileroJobs } from './silero-voice-activity.js';
import { VAD_WINDOW } from './voice-activity.js';

/** Samples of the previous window before each window. Source: the wrapper in the silero-vad package. */
const CONTEXT = 64;
/** Samples after the window, mirrored from its end. */
const MIRRORED = 64;
const INPUT = CONTEXT + VAD_WINDOW;

/** State of one stream between its windows. */
interface StreamState {
  readonly context: Float32Array;
  readonly hidden: Float32Array;
  readonly cell: Float32Array;
}

const { folder, preparedFolder } = workerData as PreparedModelFiles;
const model = lazy(async () => {
  const prepared = await prepareModel(join(folder, 'silero_vad.onnx'), SILERO_RECIPE, {
    folder: preparedFolder,
    runtimeVersion: ONNX_RUNTIME_VERSION,
  });
  return OnnxModel.load(preparedFile(prepared, SILERO_BATCHED));
});
/** One window between its context and its mirrored end. */
const padded = new Float32Array(INPUT + MIRRORED);
const streams = new Map<number, StreamState>();

function stateOf(id: number): StreamState {
  let state = streams.get(id);
  if (!state) {
    state = {
      context: new Float32Array(CONTEXT),
      hidden: new Float32Array(STATE),
      cell: new Float32Array(STATE),
    };
    streams.set(id, state);
  }
  return state;
}

serveJobs<SileroJobs>({
  /** Runs the model once for one window of each stream. */
  windows: async ({ ids, samples, closed }) => {
    try {
      const probabilities = ids.length > 0 ? await run(ids, samples) : new Float32Array(0);
      return {
        output: { probabilities, samples },
        transfer: [probabilities.buffer, samples.buffer],
      };
    } finally {
      // After the run, because the batch may contain the last window of a closed stream.
      for (const id of closed) streams.delete(id);
    }
  },
});

async function run(ids: readonly number[], samples: Float32Array) {
  const count = ids.length;
  const frames = new Float32Array(count * SPECTRA * SPECTRUM);
  const hidden = new Float32Array(count * STATE);
  const cell = new Float32Array(count * STATE);
  ids.forEach((id, i) => {
    const state = stateOf(id);
    const window = samples.subarray(i * VAD_WINDOW, (i + 1) * VAD_WINDOW);
    pad(state.context, window);
    for (let k = 0; k < SPECTRA; k++) {
      const from = k * SPECTRUM_HOP;
      frames.set(padded.subarray(from, from + SPECTRUM), (i * SPECTRA + k) * SPECTRUM);
    }
    state.context.set(window.subarray(VAD_WINDOW - CONTEXT));
    hidden.set(state.hidden, i * STATE);
    cell.set(state.cell, i * STATE);
  });
  const outputs = await (await model.get()).run({
    frames: { data: frames, dims: [count * SPECTRA, SPECTRUM] },
    hidden: { data: hidden, dims: [count, STATE] },
    cell: { data: cell, dims: [count, STATE] },
  });
  const hiddenAfter = floatsOf(outputs.hiddenN);
  const cellAfter = floatsOf(outputs.cellN);
  ids.forEach((id, i) => {
    const state = stateOf(id);
    state.hidden.set(hiddenAfter.subarray(i * STATE, (i + 1) * STATE));
    state.cell.set(cellAfter.subarray(i * STATE, (i + 1) * STATE));
  });
  return floatsOf(outputs.probability).slice();
}

/** Fills `padded` with the context, the window and its mirrored end. */
function pad(context: Float32Array, window: Float32Array): void {
  padded.set(context);
  padded.set(window, CONTEXT);
  for (let i = 0; i < MIRRORED; i++) padded[INPUT + i] = padded[INPUT - 2 - i]!;
}
