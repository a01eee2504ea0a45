import { serveJobs } from '../../../media/runtime/serve-jobs.js';
import type { SileroJobs } from '../../../media/vad/silero-voice-activity.js';
import { VAD_WINDOW } from '../../../media/vad/voice-activity.js';
import { DIES, HANGS } from '../../support/harness/audio/faulty-samples.js';

/** Replaces the VAD: the probability of a window is its first sample. */
serveJobs<SileroJobs>({
  windows: ({ ids, samples }) => {
    const probabilities = Float32Array.from(ids, (_, i) => samples[i * VAD_WINDOW]!);
    if (probabilities.includes(DIES)) process.exit(3);
    while (probabilities.includes(HANGS));
    const transfer = [probabilities.buffer, samples.buffer];
    return { output: { probabilities, samples }, transfer };
  },
});
