// Speaks lines of standard input with sherpa-onnx-node on one thread and prints the times of each.
// usage: sherpa-peer.mjs NODE_MODULES MODEL_FOLDER ESPEAK_DATA
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [packages, modelFolder, dataDir] = process.argv.slice(2);
const { OfflineTts } = createRequire(join(packages, 'index.js'))('sherpa-onnx-node');
const vits = {
  model: join(modelFolder, 'model.onnx'),
  tokens: join(modelFolder, 'tokens.txt'),
  dataDir,
};
const tts = new OfflineTts({
  model: { vits, numThreads: 1, provider: 'cpu', debug: false },
  maxNumSentences: 1,
});
console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const start = performance.now();
  let firstAudioMs;
  const audio = await tts.generateAsync({
    text,
    sid: 0,
    speed: 1,
    onProgress: () => {
      firstAudioMs ??= performance.now() - start;
    },
  });
  const totalMs = performance.now() - start;
  firstAudioMs = Math.min(firstAudioMs ?? totalMs, totalMs);
  const audioSeconds = audio.samples.length / audio.sampleRate;
  console.log(JSON.stringify({ firstAudioMs, totalMs, audioSeconds }));
}
