import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { VAD_WINDOW } from '../../../media/vad/voice-activity.js';

/** A program that runs a model once: `node voice-heard-main.js FOLDER`, where the VAD is in the folder. */
const vad = new SileroVoiceActivity({
  folder: process.argv[2]!,
  onFault: (fault) => {
    throw fault;
  },
});
// The model's thread keeps no process alive.
const alive = setInterval(() => undefined, 1_000);
await new Promise((resolve) => vad.open(resolve).push(new Float32Array(VAD_WINDOW)));
await vad.close();
clearInterval(alive);
process.stdout.write('heard\n');
