import { join } from 'node:path';
import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';
import { readModelFile } from '../models/model-file.js';
import { floatsOf, OnnxModel, type OnnxTensor, type OnnxTensors } from '../runtime/onnx-session.js';
import { hasLoop, loopingTokens } from './repetition.js';

/** Token ids of the start and the end of a text. Source: the model's generation settings. */
const BEGIN = 1;
const END = 2;
const LAYERS = 6;
const HEADS = 8;
const HEAD_SIZE = 36;
/** Maximum number of tokens per second of audio; further tokens are hallucinated. Source: the model's authors. */
const TOKENS_PER_SECOND = 6.5;
/**
 * Minimum log-probability of the first token of a short text. Sounds without words become short texts with
 * an unlikely first token. Source: 180 short words in six kinds of noise (no correct text is below this
 * value), and cleared throats, hums and clicks (all texts other than "yeah" and "mm-hmm" are below it).
 */
const MIN_CERTAINTY = -1.75;
/** Longer texts, in tokens, are accepted with any probability of the first token. */
const MAX_SHORT_TOKENS = 4;
/** The model's text for noise. If a caller says the word "you", the text ends with a full stop. */
const NOISE = 'You';
/** Minimum length of the encoder's input in samples: 100 ms. Shorter audio is padded with silence. */
const MIN_SAMPLES = 1_600;
/**
 * Minimum log-probability of each token of a text that was decoded a second time without its loop. Source:
 * 1,419 clips of nine voices that spell names and repeat words, a third of them over a simulated telephone
 * connection. After hallucinated loops, the least likely token had at least −4.3. If the caller had repeated
 * a word, it had −4.9 or less, or the text did not end.
 */
const MIN_CERTAINTY_WITHOUT_LOOP = -4.5;

type Exclude = (ids: readonly number[]) => ReadonlySet<number>;

interface EncodedAudio {
  readonly hidden: OnnxTensor;
  readonly mask: OnnxTensor;
  /** Maximum length of the text in tokens. */
  readonly limit: number;
}

interface Decoded {
  readonly ids: readonly number[];
  /** Log-probability of the first token. */
  readonly certainty: number;
  /** The lowest log-probability of a token; 0 if no tokens were excluded. */
  readonly leastLikely: number;
  /** The model ended the text before the limit. */
  readonly hasEnded: boolean;
}

/** The Moonshine recogniser inside its worker. */
export class MoonshineEngine {
  readonly #encoder: OnnxModel;
  readonly #decoder: OnnxModel;
  readonly #tokens: MoonshineTokens;

  private constructor(encoder: OnnxModel, decoder: OnnxModel, tokens: MoonshineTokens) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#tokens = tokens;
  }

  /** @param folder - of the installed model @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
  static async load(folder: string): Promise<MoonshineEngine> {
    const open = async (file: string) => OnnxModel.load(await readModelFile(join(folder, file)));
    return new MoonshineEngine(
      await open('encoder_model.ort'),
      await open('decoder_model_merged.ort'),
      new MoonshineTokens(await readModelFile(join(folder, 'tokenizer.bin'))),
    );
  }

  /**
   * @param samples - mono at 16 kHz, −1…1, at most 12 s
   * @returns the text; empty for noise
   */
  async transcribe(samples: Float32Array): Promise<string> {
    const input = samples.length < MIN_SAMPLES ? padded(samples) : samples;
    const dims = [1, input.length];
    const mask = { data: new BigInt64Array(input.length).fill(1n), dims };
    const { last_hidden_state: hidden } = await this.#encoder.run({
      input_values: { data: input, dims },
      attention_mask: mask,
    });
    const limit = Math.max(8, Math.ceil((input.length / CALLER_SAMPLE_RATE) * TOKENS_PER_SECOND));
    const audio = { hidden: hidden!, mask, limit };
    const { ids, certainty } = await this.#withoutLoop(await this.#decode(audio), audio);
    if (ids.length <= MAX_SHORT_TOKENS && certainty < MIN_CERTAINTY) return '';
    const text = this.#tokens.decode(ids);
    return text === NOISE ? '' : text;
  }

  /**
   * If a text repeats itself up to its limit, decodes it a second time without the repetition. A text that
   * ended before the limit is not changed, because callers repeat words and digits.
   */
  async #withoutLoop(decoded: Decoded, audio: EncodedAudio): Promise<Decoded> {
    if (decoded.hasEnded || !hasLoop(decoded.ids)) return decoded;
    const other = await this.#decode(audio, loopingTokens);
    const isBetter = other.hasEnded && other.leastLikely >= MIN_CERTAINTY_WITHOUT_LOOP;
    return isBetter ? other : decoded;
  }

  /**
   * Decodes greedily. The cross-attention keys and values of the first step are used in all steps.
   * @param exclude - returns the tokens that must not come next
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
        input_ids: { data: BigInt64Array.of(BigInt(token)), dims: [1, 1] },
        encoder_hidden_states: hidden,
        encoder_attention_mask: mask,
        use_cache_branch: { data: Uint8Array.of(step > 0 ? 1 : 0), dims: [1] },
      });
      const logits = floatsOf(outputs.logits);
      token = argmax(logits, exclude?.(ids));
      if (step === 0) certainty = logProbability(logits, token);
      // Computed only if needed, because it costs a pass over the vocabulary.
      if (exclude) leastLikely = Math.min(leastLikely, logProbability(logits, token));
      if (token === END) return { ids, certainty, leastLikely, hasEnded: true };
      ids.push(token);
      past = nextPast(past, outputs, step === 0);
    }
    return { ids, certainty, leastLikely, hasEnded: false };
  }
}

function padded(samples: Float32Array): Float32Array {
  const input = new Float32Array(MIN_SAMPLES);
  input.set(samples);
  return input;
}

function emptyPast(): OnnxTensors {
  const past: Record<string, OnnxTensor> = {};
  for (const name of pastNames()) {
    past[name] = { data: new Float32Array(0), dims: [1, HEADS, 0, HEAD_SIZE] };
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

function nextPast(past: OnnxTensors, outputs: OnnxTensors, isFirst: boolean): OnnxTensors {
  const next: Record<string, OnnxTensor> = {};
  for (const name of pastNames()) {
    const isKept = name.includes('.encoder.') && !isFirst;
    next[name] = isKept ? past[name]! : outputs[name.replace('past_key_values', 'present')]!;
  }
  return next;
}

/** Returns the index of the largest value that is not excluded. */
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

/** The vocabulary, which converts token ids to text. */
class MoonshineTokens {
  readonly #tokens: readonly Uint8Array[];

  /**
   * Reads `tokenizer.bin`: for each token its length (one byte, or two if the first is 128 or more:
   * second × 128 + first − 128), then that many bytes of UTF-8.
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

  /** Returns the text of token ids. Special tokens (`<…>`) are skipped; `<0xNN>` is a byte. */
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
