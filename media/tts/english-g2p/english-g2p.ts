import type { Dialect } from '../../languages.js';
import { readModelFile } from '../../models/model-file.js';
import { integersOf, OnnxModel } from '../../runtime/onnx-session.js';
import type { Pronounced } from '../../text/dictionary/dictionary.js';
import { type EnglishAssets, loadEnglishAssets, type UnknownWordTables } from './assets.js';
import { EnglishFrontEnd, type SpokenWord } from './front-end.js';
import { decodeUnknownWord, encodeUnknownWord } from './unknown-word-model.js';

/** The English front end with the model for words outside of its lexicon. */
export class EnglishG2p {
  readonly #frontEnd: EnglishFrontEnd;
  readonly #unknownWords: OnnxModel;
  readonly #tables: UnknownWordTables;

  private constructor(assets: EnglishAssets, unknownWords: OnnxModel) {
    this.#unknownWords = unknownWords;
    this.#tables = assets.unknownWord;
    this.#frontEnd = new EnglishFrontEnd(assets, (word) => this.#predictPhonemes(word));
  }

  /**
   * @param folder - folder of the model `hibari-heart`
   * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
   */
  static async load(folder: string, dialect: Dialect): Promise<EnglishG2p> {
    const assets = await loadEnglishAssets(folder, dialect);
    return new EnglishG2p(
      assets,
      await OnnxModel.load(await readModelFile(assets.unknownWordModel)),
    );
  }

  phonemize(text: string, pronounced: readonly Pronounced[]): Promise<readonly SpokenWord[]> {
    return this.#frontEnd.phonemize(text, pronounced);
  }

  async #predictPhonemes(word: string): Promise<string> {
    let phonemes = '';
    for (const chars of encodeUnknownWord(word, this.#tables)) {
      const input = { data: chars, dims: [1, chars.length] };
      const { ids } = await this.#unknownWords.run({ chars: input });
      phonemes += decodeUnknownWord(integersOf(ids), this.#tables);
    }
    return phonemes;
  }
}
