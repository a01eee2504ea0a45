import { MediaError } from '../../../media/errors.js';
import type { CleanedPart, RnnoiseJobs } from '../../../media/noise/rnnoise-stream.js';
import { serveJobs } from '../../../media/runtime/serve-jobs.js';
import { DIES, FAILS, HANGS } from '../../support/harness/audio/faulty-samples.js';

const known = new Set<number>();

/** Replaces the noise reduction: returns each sample halved, without delay. */
serveJobs<RnnoiseJobs>({
  clean: ({ parts, samples, closed }) => {
    for (const id of closed) known.delete(id);
    if (samples.includes(DIES)) process.exit(3);
    while (samples.includes(HANGS));
    const out: number[] = [];
    let at = 0;
    const done = parts.map(({ id, runIn, length, isLast }): CleanedPart => {
      if (runIn === undefined && !known.has(id)) throw new MediaError('INTERNAL', 'Unknown line');
      const cleaned = samples.subarray(at + (runIn ?? 0), at + length);
      at += length;
      if (isLast) known.delete(id);
      else known.add(id);
      if (cleaned.includes(FAILS)) return { ok: false, code: 'INTERNAL', message: 'Cannot clean' };
      out.push(...cleaned.map((sample) => sample / 2));
      return { ok: true, length: cleaned.length };
    });
    return { output: { parts: done, samples: Float32Array.from(out) } };
  },
  count: () => ({ output: known.size }),
});
