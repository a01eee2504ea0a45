import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SpokenWord } from '../tts/hibari/script.js';
import { UnknownWords } from './unknown-words.js';

type Entry = string | Readonly<Record<string, string | null>>;

/** Reads English text, with a model for the words that the lexicon has not. */
export class EnglishReader {
  readonly #lexicon: ReadonlyMap<string, string>;
  readonly #unknown: UnknownWords;

  private constructor(lexicon: ReadonlyMap<string, string>, unknown: UnknownWords) {
    this.#lexicon = lexicon;
    this.#unknown = unknown;
  }

  static async load(folder: string, dialect: 'us' | 'gb'): Promise<EnglishReader> {
    const json = gunzipSync(await readFile(join(folder, `lexicon_${dialect}_gold.json.gz`)));
    const entries = Object.entries(JSON.parse(json.toString()) as Record<string, Entry>);
    const lexicon = new Map(
      entries.map(([word, e]) => [word, typeof e === 'string' ? e : (e.DEFAULT ?? '')]),
    );
    const name = dialect === 'us' ? 'oov' : 'oov_gb';
    const alphabet = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
    return new EnglishReader(
      lexicon,
      await UnknownWords.load(join(folder, `${name}.onnx`), alphabet),
    );
  }

  async read(text: string): Promise<SpokenWord[]> {
    return this.#unknown.settle(() =>
      [...text.matchAll(/[\p{L}\p{M}'’]+|[.,;:!?—…]/gu)].map((match) => {
        const word = match[0];
        const end = match.index + word.length;
        return {
          phonemes: /\p{L}/u.test(word)
            ? (this.#lexicon.get(word) ??
              this.#lexicon.get(word.toLowerCase()) ??
              this.#unknown.ask(word) ??
              '')
            : word,
          textStart: match.index,
          textEnd: end,
          whitespaceAfter: /\s/u.test(text[end] ?? ''),
        };
      }),
    );
  }
}
