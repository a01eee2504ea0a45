import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { concat } from '../../../media/audio/pcm.js';
import { Resampler } from '../../../media/audio/resampler.js';
import { findModel } from '../../../media/models/catalogue.js';
import { modelFolder } from '../harness/process/model-folder.js';
import { CACHE } from '../harness/process/test-folder.js';

const VOICE = 'piper-joe';
const RATE = 22_050;
const SCRIPT = `
import sys, json
from piper import PiperVoice
voice = PiperVoice.load(sys.argv[1])
for text in json.loads(sys.argv[2]):
    audio = b"".join(chunk.audio_int16_bytes for chunk in voice.synthesize(text))
    sys.stdout.buffer.write(len(audio).to_bytes(4, "little") + audio)
`;

/**
 * Synthesises questions with a third-party voice, Piper, at 16 kHz. Results are cached on disk.
 * @param python path from the optional program `piper-tts`; its voice is the model `piper-joe`.
 */
export async function speakWithPiper(
  python: string,
  texts: readonly string[],
): Promise<readonly Float32Array<ArrayBuffer>[]> {
  const made = JSON.stringify([SCRIPT, findModel(VOICE)?.files, texts]);
  const hash = createHash('sha256').update(made).digest('hex').slice(0, 16);
  const file = join(CACHE, 'test', `piper-${hash}.pcm`);
  const bytes = await readFile(file).catch(() => speakTo(file, python, texts));
  const spoken: Float32Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    spoken.push(toPcm16k(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return spoken;
}

async function speakTo(file: string, python: string, texts: readonly string[]): Promise<Buffer> {
  const model = join(modelFolder(VOICE), 'en_US-joe-medium.onnx');
  const { stdout } = await promisify(execFile)(
    python,
    ['-c', SCRIPT, model, JSON.stringify(texts)],
    { maxBuffer: 64 * 1024 * 1024, encoding: 'buffer' },
  );
  const draft = `${file}.${randomUUID()}`;
  await mkdir(join(CACHE, 'test'), { recursive: true });
  await writeFile(draft, stdout);
  await rename(draft, file); // the rename makes the complete file visible in one step
  return stdout;
}

function toPcm16k(pcm: Buffer): Float32Array<ArrayBuffer> {
  const samples = Float32Array.from({ length: pcm.length / 2 }, (_, i) => {
    return pcm.readInt16LE(2 * i) / 32768;
  });
  const resampler = new Resampler(RATE, 16_000);
  const parts: Float32Array[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  resampler.push(samples, keep);
  resampler.flush(keep);
  return concat(Float32Array, parts);
}

/**
 * 220 ms of a voice without words. The VAD ignores bursts of noise but detects this sound as
 * speech; speech recognition returns a backchannel.
 */
export function cough(): Float32Array<ArrayBuffer> {
  const length = 3_520;
  const pitch = 130;
  return Float32Array.from({ length }, (_, i) => {
    let sum = 0;
    for (let harmonic = 1; harmonic < 30; harmonic++) {
      const frequency = harmonic * pitch;
      const gain = formant(frequency, 500, 150) + 0.5 * formant(frequency, 1500, 200) + 0.02;
      sum += gain * Math.sin((2 * Math.PI * frequency * i) / 16_000 + harmonic * harmonic);
    }
    return 0.2 * sum * Math.min(1, i / 300, (length - i) / 800);
  });
}

function formant(frequency: number, centre: number, width: number): number {
  return 1 / (1 + ((frequency - centre) / width) ** 2);
}
