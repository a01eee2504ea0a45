import { join } from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { BEGIN, END, MoonshineTokens } from '../stt/moonshine-tokens.js';
import { bytesOf, openSession } from './sessions.js';

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
const LEAST_CERTAIN = -1.75;
/** Longer texts are words, however they begin. */
const FEW_TOKENS = 4;
/** What the model writes of noise; somebody who says it gets a full stop. */
const NOISE = 'You';
/** The encoder's windows want this many samples: shorter audio is filled up with silence. */
const SHORTEST = 1_600;

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
    const { ids, certainty } = await this.#decode(hidden!, mask, limit);
    if (ids.length <= FEW_TOKENS && certainty < LEAST_CERTAIN) return '';
    const text = this.#tokens.decode(ids);
    return text === NOISE ? '' : text;
  }

  /**
   * Greedy: the likeliest token each time. The encoder's keys and values are those of the first step.
   * `certainty` is the first token's log-probability.
   */
  async #decode(hidden: Tensor, mask: Tensor, limit: number) {
    let past = emptyPast();
    const ids: number[] = [];
    let certainty = 0;
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
      token = argmax(logits);
      if (step === 0) certainty = logProbability(logits, token);
      if (token === END) break;
      ids.push(token);
      past = nextPast(past, outputs, step === 0);
    }
    return { ids, certainty };
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

function argmax(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}

/** @param best the index of the largest value. */
function logProbability(logits: Float32Array, best: number): number {
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - logits[best]!);
  return -Math.log(sum);
}
