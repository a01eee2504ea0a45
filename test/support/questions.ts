import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Resampler } from '../../media/resample/resampler.js';
import { modelFolder } from './model-folder.js';
import { joined } from './spoken.js';

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
 * Questions spoken by a voice other than ours, at 16 kHz.
 * @param python of the need \`piper-tts\`; its voice is the model \`piper-joe\`.
 */
export function askedByPiper(
  python: string,
  texts: readonly string[],
): readonly Float32Array<ArrayBuffer>[] {
  const model = join(modelFolder('piper-joe'), 'en_US-joe-medium.onnx');
  const bytes = execFileSync(python, ['-c', SCRIPT, model, JSON.stringify(texts)], {
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const spoken: Float32Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    spoken.push(toListenersRate(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return spoken;
}

function toListenersRate(pcm: Buffer): Float32Array<ArrayBuffer> {
  const samples = Float32Array.from({ length: pcm.length / 2 }, (_, i) => {
    return pcm.readInt16LE(2 * i) / 32768;
  });
  const resampler = new Resampler(RATE, 16_000);
  const parts: Float32Array[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  resampler.push(samples, keep);
  resampler.flush(keep);
  return joined(parts);
}

/**
 * A throat cleared: 220 ms of a voice without words. Bursts of noise are no speech to the VAD, this
 * is; the recogniser takes it for a backchannel.
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
