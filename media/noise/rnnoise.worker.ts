import { SampleQueue } from '../audio/sample-queue.js';
import { MediaError } from '../errors.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { Denoiser } from './denoiser.js';
import { RnnoiseModule, type RnnoiseState } from './rnnoise-module.js';
import type { CleanedPart, RnnoiseBlock, RnnoiseJobs } from './rnnoise-stream.js';

/** State of one noisy stretch of a stream. */
interface Stretch {
  readonly state: RnnoiseState;
  readonly denoiser: Denoiser;
}

let loaded: RnnoiseModule | undefined;
const stretches = new Map<number, Stretch>();

function begin(id: number, runIn: Float32Array): Stretch {
  loaded ??= new RnnoiseModule();
  const state = loaded.open();
  const stretch = { state, denoiser: new Denoiser(state.clean, runIn) };
  stretches.set(id, stretch);
  return stretch;
}

function forget(id: number): void {
  stretches.get(id)?.state.free();
  stretches.delete(id);
}

/** @returns the samples that are complete. */
function clean({ id, runIn, isLast }: RnnoiseBlock, samples: Float32Array): SampleQueue {
  const stretch =
    stretches.get(id) ?? (runIn === undefined ? undefined : begin(id, samples.slice(0, runIn)));
  if (!stretch) throw new MediaError('INVALID_INPUT', `No stretch with the id ${id} is open`);
  const out = new SampleQueue();
  const keep = (cleaned: Float32Array) => out.push(cleaned);
  stretch.denoiser.push(samples.subarray(runIn ?? 0), keep);
  if (isLast) {
    stretch.denoiser.flush(keep);
    forget(id);
  }
  return out;
}

/** Cleans one block. An exception becomes the result of this block only, so the other blocks are still cleaned. */
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
  count: () => ({ output: stretches.size }),
});
