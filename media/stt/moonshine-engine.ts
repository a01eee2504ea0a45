import { join } from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { bytesOf, openSession } from '../runtime/onnx-session.js';
import { hasLoop, loopingTokens } from './repetition.js';

/** Token ids of the start and the end of a text. Source: the model's generation settings. */
const BEGIN = 1;
const END = 2;
const SAMPLE_RATE = 16_000;
const LAYERS = 6;
const HEADS = 8;
const HEAD_SIZE = 36;
/** More a second of audio is babble. Source: the model's authors. */
const TOKENS_PER_SECOND = 6.5;
/**
 * Sounds without words become short texts of whose first token the model is not sure at all: below
 * this log-probability nothing was said. Source: 180 short words in six kinds of noise (none that was
 * heard right lies below) and throats cleared, hums and clicks (all that became other words than
 * "yeah" or "mm-hmm" do).
 */
const MIN_CERTAINTY = -1.75;
/** Longer texts are words, however they begin. */
const MIN_TOKENS = 4;
/** What the model writes of noise; somebody who says it gets a full stop. */
const NOISE = 'You';
/** The encoder's windows want this many samples: shorter audio is filled up with silence. */
const SHORTEST = 1_600;
/**
 * Decoded without its loop, a text counts if each token is at least so likely (log-probability).
 * Source: 1,419 clips of nine voices that spell names and repeat words, a third of them over a simulated
 * telephone line. Of the loops, the least likely token had −4.3; where a caller really repeats a word,
 * it had −4.9 and less, or the text came to no end.
 */
const LEAST_LIKELY_WITHOUT_LOOP = -4.5;

type Exclude = (ids: readonly number[]) => ReadonlySet<number>;

interface EncodedAudio {
  readonly hidden: Tensor;
  readonly mask: Tensor;
  /** In tokens. */
  readonly limit: number;
}

interface Decoded {
  readonly ids: readonly number[];
  /** The first token's log-probability. */
  readonly certainty: number;
  /** The lowest log-probability of a token; 0 where nothing was excluded. */
  readonly leastLikely: number;
  /** The text came to its own end before its limit. */
  readonly hasEnded: boolean;
}

/** The recogniser with its sessions; lives on a worker thread. */
export class MoonshineEngine {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #tokens: MoonshineTokens;

  private constructor(
    encoder: InferenceSession,
    decoder: InferenceSession,
    tokens: MoonshineTokens,
  ) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#tokens = tokens;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
  static async load(folder: string): Promise<MoonshineEngine> {
    const open = async (file: string) => openSession(await bytesOf(join(folder, file)));
    return new MoonshineEngine(
      await open('encoder_model.ort'),
      await open('decoder_model_merged.ort'),
      new MoonshineTokens(await bytesOf(join(folder, 'tokenizer.bin'))),
    );
  }

  /** @param samples mono at 16 kHz. */
  async transcribe(samples: Float32Array): Promise<string> {
    const input = samples.length < SHORTEST ? filledUp(samples) : samples;
    const mask = new Tensor('int64', new BigInt64Array(input.length).fill(1n), [1, input.length]);
    const { last_hidden_state: hidden } = await this.#encoder.run({
      input_values: new Tensor('float32', input, [1, input.length]),
      attention_mask: mask,
    });
    const limit = Math.max(8, Math.ceil((input.length / SAMPLE_RATE) * TOKENS_PER_SECOND));
    const audio = { hidden: hidden!, mask, limit };
    const { ids, certainty } = await this.#withoutLoop(await this.#decode(audio), audio);
    if (ids.length <= MIN_TOKENS && certainty < MIN_CERTAINTY) return '';
    const text = this.#tokens.decode(ids);
    return text === NOISE ? '' : text;
  }

  /**
   * A text that went round in a circle until its limit is decoded once more without that. One that
   * came to its own end is left as it is: callers do repeat words and digits.
   */
  async #withoutLoop(decoded: Decoded, audio: EncodedAudio): Promise<Decoded> {
    if (decoded.hasEnded || !hasLoop(decoded.ids)) return decoded;
    const other = await this.#decode(audio, loopingTokens);
    const isBetter = other.hasEnded && other.leastLikely >= LEAST_LIKELY_WITHOUT_LOOP;
    return isBetter ? other : decoded;
  }

  /**
   * Greedy: the likeliest token each time. The encoder's keys and values are those of the first step.
   * @param exclude the tokens that may not come next.
   */
  async #decode({ hidden, mask, limit }: EncodedAudio, exclude?: Exclude): Promise<Decoded> {
    let past = emptyPast();
    const ids: number[] = [];
    let certainty = 0;
    let leastLikely = 0;
    let token = BEGIN;
    for (let step = 0; step < limit; step++) {
      const outputs = await this.#decoder.run({
        ...past,
        input_ids: new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
        encoder_hidden_states: hidden,
        encoder_attention_mask: mask,
        use_cache_branch: new Tensor('bool', Uint8Array.of(step > 0 ? 1 : 0), [1]),
      });
      const logits = outputs.logits!.data as Float32Array;
      token = argmax(logits, exclude?.(ids));
      if (step === 0) certainty = logProbability(logits, token);
      // Costs a little, so only where it is asked for.
      if (exclude) leastLikely = Math.min(leastLikely, logProbability(logits, token));
      if (token === END) return { ids, certainty, leastLikely, hasEnded: true };
      ids.push(token);
      past = nextPast(past, outputs, step === 0);
    }
    return { ids, certainty, leastLikely, hasEnded: false };
  }
}

function filledUp(samples: Float32Array): Float32Array {
  const input = new Float32Array(SHORTEST);
  input.set(samples);
  return input;
}

function emptyPast(): Record<string, Tensor> {
  const past: Record<string, Tensor> = {};
  for (const name of pastNames()) {
    past[name] = new Tensor('float32', new Float32Array(0), [1, HEADS, 0, HEAD_SIZE]);
  }
  return past;
}

function* pastNames(): Generator<string> {
  for (let layer = 0; layer < LAYERS; layer++) {
    for (const side of ['decoder', 'encoder']) {
      for (const part of ['key', 'value']) yield `past_key_values.${layer}.${side}.${part}`;
    }
  }
}

function nextPast(
  past: Readonly<Record<string, Tensor>>,
  outputs: Readonly<Record<string, Tensor>>,
  isFirst: boolean,
): Record<string, Tensor> {
  const next: Record<string, Tensor> = {};
  for (const name of pastNames()) {
    const isKept = name.includes('.encoder.') && !isFirst;
    next[name] = isKept ? past[name]! : outputs[name.replace('past_key_values', 'present')]!;
  }
  return next;
}

/** Index of the largest value that is not excluded. */
function argmax(values: Float32Array, excluded?: ReadonlySet<number>): number {
  let best = -1;
  for (let i = 0; i < values.length; i++) {
    if ((best < 0 || values[i]! > values[best]!) && !excluded?.has(i)) best = i;
  }
  return best;
}

function logProbability(logits: Float32Array, token: number): number {
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - logits[token]!);
  return -Math.log(sum);
}

/** The recogniser's vocabulary: token ids → text. */
class MoonshineTokens {
  readonly #tokens: readonly Uint8Array[];

  /**
   * Reads `tokenizer.bin`: per token a length (one byte; 128 and more: second byte × 128 + first −
   * 128), then that many bytes of UTF-8.
   */
  constructor(file: Uint8Array) {
    const tokens: Uint8Array[] = [];
    for (let at = 0; at < file.length; ) {
      let length = file[at++]!;
      if (length >= 128) length = file[at++]! * 128 + length - 128;
      tokens.push(file.subarray(at, at + length));
      at += length;
    }
    this.#tokens = tokens;
  }

  /** The text of token ids; special tokens (`<…>`) are left out, `<0xNN>` is a byte. */
  decode(ids: readonly number[]): string {
    const bytes: number[] = [];
    for (const id of ids) {
      const token = this.#tokens[id];
      if (!token) continue;
      const text = Buffer.from(token).toString('utf8');
      const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(text)?.[1];
      if (byte) bytes.push(Number.parseInt(byte, 16));
      else if (!/^<.*>$/.test(text)) bytes.push(...token);
    }
    return Buffer.from(bytes).toString('utf8').replaceAll('▁', ' ').replace(/\s+/g, ' ').trim();
  }
}
