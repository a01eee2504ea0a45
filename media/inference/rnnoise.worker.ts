import { MediaError } from '../errors.js';
import { Denoiser } from '../noise/denoiser.js';
import { SampleQueue } from '../stream/sample-queue.js';
import type { RnnoiseJobs, RnnoisePart } from './rnnoise-jobs.js';
import { RnnoiseModule, type RnnoiseState } from './rnnoise-module.js';
import { serveJobs } from './serve-jobs.js';

interface Line {
  readonly state: RnnoiseState;
  readonly denoiser: Denoiser;
}

let loaded: RnnoiseModule | undefined;
const lines = new Map<number, Line>();

function begin(id: number, runIn: Float32Array): Line {
  loaded ??= new RnnoiseModule();
  const state = loaded.open();
  const line = { state, denoiser: new Denoiser(state.clean, runIn) };
  lines.set(id, line);
  return line;
}

function forget(id: number): void {
  lines.get(id)?.state.free();
  lines.delete(id);
}

function clean({ id, runIn, isLast }: RnnoisePart, samples: Float32Array, out: SampleQueue): void {
  const line =
    lines.get(id) ?? (runIn === undefined ? undefined : begin(id, samples.slice(0, runIn)));
  if (!line) throw new MediaError('INVALID_INPUT', 'No such line is open');
  const keep = (cleaned: Float32Array) => out.push(cleaned);
  line.denoiser.push(samples.subarray(runIn ?? 0), keep);
  if (!isLast) return;
  line.denoiser.flush(keep);
  forget(id);
}

serveJobs<RnnoiseJobs>({
  clean: ({ parts, samples, closed }) => {
    for (const id of closed) forget(id);
    const out = new SampleQueue();
    let at = 0;
    const lengths = parts.map((part) => {
      const before = out.length;
      clean(part, samples.subarray(at, at + part.length), out);
      at += part.length;
      return out.length - before;
    });
    const cleaned = out.peek(0, out.length).slice();
    return { output: { lengths, samples: cleaned }, transfer: [cleaned.buffer] };
  },
  count: () => ({ output: lines.size }),
});
