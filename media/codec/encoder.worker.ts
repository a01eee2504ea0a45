import { workerData } from 'node:worker_threads';
import { concat } from '../audio/pcm.js';
import { Resampler } from '../audio/resampler.js';
import { MediaError } from '../errors.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { audioFormats } from './audio-formats.js';
import type { Encoder } from './encoder.js';
import type {
  EncodedStreamOptions,
  EncodeInput,
  EncoderJobs,
  EncoderSettings,
} from './encoder-thread.js';

interface OpenStream {
  readonly resampler: Resampler;
  readonly encoder: Encoder;
}

const formats = audioFormats((workerData as EncoderSettings).mp3Program);
const streams = new Map<number, OpenStream>();

serveJobs<EncoderJobs>({
  encode: async (input) => {
    const stream = input.open ? await open(input.open) : streams.get(input.stream);
    if (!stream) throw new MediaError('WORKER_DIED', 'The stream was lost with its worker thread');
    streams.set(input.stream, stream);
    try {
      const output = encode(stream, input);
      if (input.isLast) streams.delete(input.stream);
      return { output, transfer: [output.buffer] };
    } catch (error) {
      drop(input.stream);
      throw error;
    }
  },
  drop: (stream) => {
    drop(stream);
    return { output: null };
  },
});

async function open({ format, inputRate }: EncodedStreamOptions) {
  const found = formats.get(format);
  if (!found) throw new MediaError('INVALID_INPUT', `There is no audio format ${format}`);
  const resampler = new Resampler(inputRate, found.sampleRate);
  return { resampler, encoder: await found.createEncoder() };
}

function encode(stream: OpenStream, { samples, isLast }: EncodeInput): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  const keep = (piece: Uint8Array) => {
    // Buffer.slice would share memory that the encoder overwrites.
    pieces.push(new Uint8Array(piece));
  };
  const intoEncoder = (piece: Float32Array) => stream.encoder.push(piece, keep);
  stream.resampler.push(samples, intoEncoder);
  if (isLast) {
    stream.resampler.flush(intoEncoder);
    stream.encoder.flush(keep);
  }
  return concat(Uint8Array, pieces);
}

/** Flushes the encoder of a discarded stream, which frees its resources. */
function drop(id: number): void {
  const stream = streams.get(id);
  streams.delete(id);
  stream?.encoder.flush(() => undefined);
}
