import OpenAI from 'openai';
import type { Embedder, EmbedOptions } from '../../media/embeddings/embedder.js';
import { CallError } from '../contract/errors.js';
import { createOpenAiClient, type OpenAiServer } from './openai-client.js';

const TIMEOUT_MS = 20_000;
/** Common models read 512 tokens or more; a passage has at most 400. */
const WINDOW_TOKENS = 450;
/** Texts in one request. */
const MAX_BATCH = 128;
/** Statuses for which a retry gives the same result. */
const REFUSED = new Set([400, 413, 422]);

export interface EmbeddingEndpoint extends OpenAiServer {
  readonly model: string;
}

/** A sentence model behind any OpenAI-compatible `/embeddings` endpoint. */
export class OpenAiEmbedder implements Embedder {
  /** Includes the host: two servers may give two models the same name. */
  readonly id: string;
  readonly windowTokens = WINDOW_TOKENS;
  readonly isRemote = true;
  readonly #client: OpenAI;
  readonly #model: string;

  constructor({ model, ...server }: EmbeddingEndpoint) {
    this.id = `${model}@${new URL(server.baseUrl).host}`;
    this.#model = model;
    this.#client = createOpenAiClient(server, { timeout: TIMEOUT_MS, maxRetries: 1 });
  }

  /** @throws CallError EMBEDDING_FAILED if the endpoint fails or returns invalid vectors */
  async embed(
    texts: readonly string[],
    { signal }: Pick<EmbedOptions, 'signal'>,
  ): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += MAX_BATCH) {
      vectors.push(...(await this.#embed(texts.slice(at, at + MAX_BATCH), signal)));
    }
    return vectors;
  }

  async #embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    let data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
    try {
      const asked = { model: this.#model, input: [...texts], encoding_format: 'float' as const };
      ({ data } = await this.#client.embeddings.create(asked, signal ? { signal } : {}));
    } catch (cause) {
      // The text is invalid: the indexer must not wait for the endpoint.
      if (cause instanceof OpenAI.APIError && REFUSED.has(cause.status ?? 0)) {
        throw new Error('The embedding endpoint refused a text', { cause });
      }
      throw failed('does not answer', cause);
    }
    const vectors: Float32Array[] = [];
    for (const { index, embedding } of Array.isArray(data) ? data : []) {
      if (Array.isArray(embedding)) vectors[index] = unit(embedding);
    }
    const { length } = vectors[0] ?? [];
    const isWhole = texts.every((_, i) => vectors[i] && vectors[i].length === length);
    if (!isWhole || !length) throw failed('gave other vectors than asked for');
    return vectors.slice(0, texts.length);
  }
}

/** Scales to unit length, so that a dot product is the cosine similarity. */
function unit(values: readonly number[]): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length)) throw failed('gave a vector that is none');
  return length === 0 ? vector : vector.map((value) => value / length);
}

function failed(what: string, cause?: unknown): CallError {
  return new CallError('EMBEDDING_FAILED', `The embedding endpoint ${what}`, { cause });
}
