// `npm run record-replays [-- NAME…]`: records the calls of test/fixtures/replays again after an
// intended change of turn-taking. Check the differences with `npm run replay` first.
import { mkdirSync } from 'node:fs';
import { pino } from 'pino';
import { ModelStore } from '../../../media/models/store.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { loadListeningModels } from '../../../src/calls/providers/listening-models.js';
import { modelFolders } from '../../../src/config/model-folders.js';
import { MODEL_ADVICE } from '../../../src/platform/process/models-command.js';
import { openJoe, startFormantProcess } from '../harness/audio/piper-joe.js';
import { synthesise } from '../harness/audio/synthesised-speech.js';
import { modelFolder } from '../harness/process/model-folder.js';
import { SCENES } from './replay-scenes.js';
import { recordCompressed, Scene } from './replay-studio.js';

const FOLDER = 'test/fixtures/replays';
const wanted = process.argv.slice(2);

const scheduler = new CpuScheduler(1);
const { modelsDir, cacheDir } = modelFolders(process.env);
const speechModels = await loadListeningModels(
  new ModelStore({ modelsDir, cacheDir, advice: MODEL_ADVICE }),
  scheduler,
  pino({ level: 'warn' }),
);
const agent: TextToSpeech = new HibariVoice({
  id: 'hibari-heart',
  folder: modelFolder('hibari-heart'),
  scheduler,
});
const engine = startFormantProcess();
const caller = await openJoe(engine, scheduler);
const say = (text: string) => synthesise(caller, text);
mkdirSync(FOLDER, { recursive: true });
for (const { name, config = {}, replies, play } of SCENES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await recordCompressed(`${FOLDER}/${name}.replay.jsonl.gz`, async (sink) => {
    const scene = new Scene({ speechModels, voice: agent, say }, sink, replies, config);
    await scene.begin();
    await play(scene);
    await scene.hangUp();
  });
  process.stdout.write(`${name}: recorded\n`);
}
await Promise.all([speechModels.close(), agent.close(), caller.close()]);
await engine.close();
