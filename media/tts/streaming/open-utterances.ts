import { MediaError } from '../../errors.js';
import type { StreamedChunk } from './streaming-jobs.js';
import type { VoiceEngine } from './voice-engine.js';

/** Utterances that may be open at the same time; each holds up to 70 kB per second of its audio. */
const MAX_OPEN = 1000;

/** An utterance that is being spoken. */
interface OpenUtterance<Utterance, Part> {
  readonly id: number;
  readonly utterance: Utterance;
  readonly parts: AsyncGenerator<Part, undefined>;
  /** The part whose chunks come next. */
  part: Part | undefined;
  partIndex: number;
  chunkIndex: number;
  startSample: number;
}

/** Speaks utterances chunk by chunk, inside the worker of a neural voice. */
export class OpenUtterances<Utterance, Part> {
  readonly #engine: VoiceEngine<Utterance, Part>;
  readonly #open = new Map<number, OpenUtterance<Utterance, Part>>();

  constructor(engine: VoiceEngine<Utterance, Part>) {
    this.#engine = engine;
  }

  /** Number of utterances that are being spoken. */
  get count(): number {
    return this.#open.size;
  }

  /** @throws MediaError QUEUE_FULL */
  async begin(id: number, utterance: Utterance): Promise<StreamedChunk> {
    if (this.#open.size >= MAX_OPEN) {
      throw new MediaError('QUEUE_FULL', 'Too many utterances are being spoken at once');
    }
    const open: OpenUtterance<Utterance, Part> = {
      id,
      utterance,
      parts: this.#engine.parts(utterance),
      part: undefined,
      partIndex: 0,
      chunkIndex: 0,
      startSample: 0,
    };
    this.#open.set(id, open);
    return this.#advance(open);
  }

  /** @throws MediaError WORKER_DIED for an utterance that this thread never began */
  async next(id: number): Promise<StreamedChunk> {
    const open = this.#open.get(id);
    if (!open) throw new MediaError('WORKER_DIED', 'The utterance died with its worker thread');
    return this.#advance(open);
  }

  cancel(id: number): void {
    this.#open.delete(id);
  }

  async #advance(open: OpenUtterance<Utterance, Part>): Promise<StreamedChunk> {
    try {
      open.part ??= (await open.parts.next()).value;
      const chunk = open.part && (await this.#engine.nextSamples(open.part, open));
      if (chunk) {
        open.startSample += chunk.samples.length;
        open.chunkIndex++;
      }
      if (chunk?.isPartEnd) {
        open.partIndex++;
        open.part = (await open.parts.next()).value;
      }
      const isLast = !open.part;
      if (isLast) this.#open.delete(open.id);
      const { samples, words } = chunk ?? { samples: new Float32Array(0), words: [] };
      return { samples, words, isLast };
    } catch (error) {
      this.#open.delete(open.id);
      throw error;
    }
  }
}
