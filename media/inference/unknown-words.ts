import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { bytesOf, openSession } from './sessions.js';

/** Words whose reading is kept. */
const KEPT = 2000;
/** A reading may reveal further unknown words (by stress or context), but not for ever. */
const ROUNDS = 3;

/** Alphabets of the model: letters in, phonemes out, and the longest word. */
export interface UnknownWordAlphabet {
  readonly in: readonly string[];
  readonly out: readonly string[];
  readonly maxlen: number;
}

/**
 * Reads words that no lexicon has, letter by letter. The runtime answers later, a front end asks now:
 * so a text is read until every word that it asked for is known.
 */
export class UnknownWords {
  readonly #session: InferenceSession;
  readonly #numberOf: ReadonlyMap<string, number>;
  readonly #alphabet: UnknownWordAlphabet;
  /** In the order of their last use, the oldest first. */
  readonly #readings = new Map<string, string | undefined>();
  readonly #asked = new Set<string>();

  private constructor(session: InferenceSession, alphabet: UnknownWordAlphabet) {
    this.#session = session;
    this.#alphabet = alphabet;
    this.#numberOf = new Map(alphabet.in.map((letter, index) => [letter, index + 1]));
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  static async load(file: string, alphabet: UnknownWordAlphabet): Promise<UnknownWords> {
    return new UnknownWords(await openSession(await bytesOf(file)), alphabet);
  }

  /** The phonemes of a word, or undefined while they are not known: it is then noted as asked for. */
  readonly ask = (word: string): string | undefined => {
    if (!this.#readings.has(word)) {
      this.#asked.add(word);
      return undefined;
    }
    const reading = this.#readings.get(word);
    this.#readings.delete(word);
    this.#readings.set(word, reading);
    return reading;
  };

  /** Runs `read`, which calls `ask`, again until all that it asks for is known. */
  async settle<T>(read: () => T): Promise<T> {
    this.#asked.clear();
    let result = read();
    for (let round = 0; round < ROUNDS && this.#asked.size > 0; round++) {
      for (const word of this.#asked) this.#readings.set(word, await this.#read(word));
      this.#asked.clear();
      result = read();
    }
    for (const word of this.#readings.keys()) {
      if (this.#readings.size <= KEPT) break;
      this.#readings.delete(word);
    }
    return result;
  }

  async #read(word: string): Promise<string | undefined> {
    const letters = [...word]
      .flatMap((letter) => this.#numberOf.get(letter) ?? [])
      .slice(0, this.#alphabet.maxlen);
    if (letters.length === 0) return undefined;
    const chars = new Tensor('int64', BigInt64Array.from(letters, BigInt), [1, letters.length]);
    const { ids } = await this.#session.run({ chars });
    return collapse(ids!.data as BigInt64Array, this.#alphabet.out);
  }
}

/** Repeats are one symbol, 0 parts two that are the same. */
function collapse(symbols: BigInt64Array, alphabet: readonly string[]): string {
  let text = '';
  let before = 0n;
  for (const symbol of symbols) {
    if (symbol !== before && symbol !== 0n) text += alphabet[Number(symbol) - 1] ?? '';
    before = symbol;
  }
  return text;
}
