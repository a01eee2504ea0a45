import { SampleQueue } from '../audio/sample-queue.js';
import { MediaError } from '../errors.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { Denoiser } from './denoiser.js';
import type { CleanedPart, RnnoiseBlock, RnnoiseJobs } from './rnnoise-jobs.js';
import { RnnoiseModule, type RnnoiseState } from './rnnoise-module.js';

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

/** @returns what is cleaned by now. */
function clean({ id, runIn, isLast }: RnnoiseBlock, samples: Float32Array): SampleQueue {
  const line =
    lines.get(id) ?? (runIn === undefined ? undefined : begin(id, samples.slice(0, runIn)));
  if (!line) throw new MediaError('INVALID_INPUT', 'No such line is open');
  const out = new SampleQueue();
  const keep = (cleaned: Float32Array) => out.push(cleaned);
  line.denoiser.push(samples.subarray(runIn ?? 0), keep);
  if (isLast) {
    line.denoiser.flush(keep);
    forget(id);
  }
  return out;
}

/** A fault of one line stays with that line. */
function cleanInto(out: SampleQueue, part: RnnoiseBlock, samples: Float32Array): CleanedPart {
  try {
    const cleaned = clean(part, samples);
    out.push(cleaned.peek(0, cleaned.length));
    return { ok: true, length: cleaned.length };
  } catch (error) {
    forget(part.id);
    const code = error instanceof MediaError ? error.code : 'INTERNAL';
    return { ok: false, code, message: error instanceof Error ? error.message : String(error) };
  }
}

serveJobs<RnnoiseJobs>({
  clean: ({ parts, samples, closed }) => {
    for (const id of closed) forget(id);
    const out = new SampleQueue();
    let at = 0;
    const done = parts.map((part) => {
      const from = at;
      at += part.length;
      return cleanInto(out, part, samples.subarray(from, at));
    });
    const cleaned = out.peek(0, out.length).slice();
    return { output: { parts: done, samples: cleaned }, transfer: [cleaned.buffer] };
  },
  count: () => ({ output: lines.size }),
});
