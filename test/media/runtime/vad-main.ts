import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { VAD_WINDOW } from '../../../media/vad/voice-activity.js';

/** Runs a model once: `node vad-main.js FOLDER`, where the folder contains the VAD. */
const vad = new SileroVoiceActivity({
  folder: process.argv[2]!,
  onFault: (fault) => {
    throw fault;
  },
});
// The model's thread does not keep the process alive.
const alive = setInterval(() => undefined, 1_000);
await new Promise((resolve) => vad.open(resolve).push(new Float32Array(VAD_WINDOW)));
await vad.close();
clearInterval(alive);
process.stdout.write('heard\n');
