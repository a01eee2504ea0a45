import { toInt16 } from '../../media/audio/pcm.js';
import { Resampler } from '../../media/audio/resampler.js';
import { wavHeader } from '../../media/codec/wav.js';
import { MediaError } from '../../media/errors.js';
import { SimulateError } from './simulate-error.js';

const PCM = 1;
const EXTENSIBLE = 0xfffe;
const CHUNK_HEAD = 8;
/** Offset of the format tag of an extensible format: the first two bytes of its GUID. */
const SUB_FORMAT_AT = 24;
const CONVERT = 'Convert it: ffmpeg -i FILE -ac 1 -ar 8000 -c:a pcm_s16le caller.wav';

interface Format {
  readonly tag: number;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bits: number;
}

/**
 * The audio of a WAV file (PCM, 16 bit, any rate, channels mixed) at `sampleRate`, Hz. Source:
 * Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0.
 * @throws SimulateError for any other file.
 */
export function readWav(file: Buffer, sampleRate: number): Int16Array {
  const { format, data } = chunksOf(file);
  if (format.tag !== PCM || format.bits !== 16 || format.channels < 1 || format.sampleRate < 1) {
    throw new SimulateError(`The WAV file must contain 16-bit PCM. ${CONVERT}`);
  }
  const { channels } = format;
  const samples = new Float32Array(Math.floor(data.length / (2 * channels)));
  for (let i = 0; i < samples.length; i++) {
    let sum = 0;
    for (let c = 0; c < channels; c++) sum += data.readInt16LE(2 * (i * channels + c));
    samples[i] = sum / channels / 32768;
  }
  return resampleToPcm(samples, format.sampleRate, sampleRate);
}

/** Resamples to signed 16-bit samples. Rates in Hz. */
export function resampleToPcm(samples: Float32Array, fromRate: number, toRate: number): Int16Array {
  const pcm = new Int16Array(Math.ceil((samples.length * toRate) / fromRate) + 1);
  let filled = 0;
  const keep = (part: Float32Array) => {
    toInt16(part, pcm.subarray(filled));
    filled += part.length;
  };
  try {
    const resampler = new Resampler(fromRate, toRate);
    resampler.push(samples, keep);
    resampler.flush(keep);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    throw new SimulateError(`The WAV file has an unsupported rate of ${fromRate} Hz. ${CONVERT}`);
  }
  return pcm.subarray(0, filled);
}

/** Two legs as a stereo WAV file, the caller on the left; the shorter one ends in silence. */
export function stereoWav(caller: Int16Array, agent: Int16Array, sampleRate: number): Buffer {
  const length = Math.max(caller.length, agent.length);
  const header = wavHeader(sampleRate, 44 + 4 * length);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(sampleRate * 4, 28);
  header.writeUInt16LE(4, 32);
  const body = Buffer.alloc(4 * length);
  for (let i = 0; i < length; i++) {
    body.writeInt16LE(caller[i] ?? 0, 4 * i);
    body.writeInt16LE(agent[i] ?? 0, 4 * i + 2);
  }
  return Buffer.concat([header, body]);
}

function chunksOf(file: Buffer): { readonly format: Format; readonly data: Buffer } {
  const isWav =
    file.length >= 12 &&
    file.toString('latin1', 0, 4) === 'RIFF' &&
    file.toString('latin1', 8, 12) === 'WAVE';
  if (!isWav) throw new SimulateError(`The file is not a WAV file. ${CONVERT}`);
  let format: Format | undefined;
  for (let at = 12; at + CHUNK_HEAD <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    // A stream of unknown length has a size beyond the end.
    const body = file.subarray(at + CHUNK_HEAD, at + CHUNK_HEAD + size);
    if (name === 'fmt ' && body.length >= 16) format = formatOf(body);
    if (name === 'data' && format) return { format, data: body };
    at += CHUNK_HEAD + size + (size % 2);
  }
  throw new SimulateError(`The WAV file contains no audio. ${CONVERT}`);
}

function formatOf(body: Buffer): Format {
  const tag = body.readUInt16LE(0);
  const isExtensible = tag === EXTENSIBLE && body.length >= SUB_FORMAT_AT + 2;
  return {
    tag: isExtensible ? body.readUInt16LE(SUB_FORMAT_AT) : tag,
    channels: body.readUInt16LE(2),
    sampleRate: body.readUInt32LE(4),
    bits: body.readUInt16LE(14),
  };
}
