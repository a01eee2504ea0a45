import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import ort from 'onnxruntime-node';
import type { Dialect } from '../../../../media/languages.js';
import { loadEnglishAssets } from '../../../../media/tts/english-g2p/assets.js';
import { EnglishFrontEnd, type SpokenWord } from '../../../../media/tts/english-g2p/front-end.js';
import {
  decodeUnknownWord,
  encodeUnknownWord,
} from '../../../../media/tts/english-g2p/unknown-word-model.js';
import { modelFolder } from '../process/model-folder.js';

/** Folder of the English voice's model files. */
export const ENGLISH_VOICE = modelFolder('hibari-heart');

/** One line of the fixture: a text and the reference package's phonemes for it. */
export interface ReferenceReading {
  readonly dialect: Dialect;
  readonly text: string;
  readonly phonemes: string;
}

export async function referenceReadings(): Promise<ReferenceReading[]> {
  const file = new URL('../../../fixtures/english-phonemes.jsonl.gz', import.meta.url);
  const lines = gunzipSync(await readFile(file))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as ReferenceReading);
}

/** The front end with the real model for out-of-vocabulary words, on the current thread. */
export async function englishFrontEnd(dialect: Dialect): Promise<EnglishFrontEnd> {
  const assets = await loadEnglishAssets(ENGLISH_VOICE, dialect);
  const session = await ort.InferenceSession.create(assets.unknownWordModel, {
    intraOpNumThreads: 1,
  });
  return new EnglishFrontEnd(assets, async (word) => {
    let phonemes = '';
    for (const chars of encodeUnknownWord(word, assets.unknownWord)) {
      const output = await session.run({
        chars: new ort.Tensor('int64', chars, [1, chars.length]),
      });
      const symbols = Object.values(output)[0]?.data as BigInt64Array;
      phonemes += decodeUnknownWord(symbols, assets.unknownWord);
    }
    return phonemes;
  });
}

/** Joins the words' phonemes in the notation of the reference package. */
export function asLine(words: readonly SpokenWord[]): string {
  return words
    .map(({ phonemes, whitespaceAfter }) => phonemes + (whitespaceAfter ? ' ' : ''))
    .join('')
    .trim();
}

/** Levenshtein distance of two lines, counted in words. */
export function wordDistance(line: string, other: string): number {
  const [a, b] = [line.split(/\s+/), other.split(/\s+/)];
  let row = b.map((_, j) => j + 1);
  row.unshift(0);
  for (const [i, word] of a.entries()) {
    const next = [i + 1];
    for (const [j, otherWord] of b.entries()) {
      const changed = row[j]! + (word === otherWord ? 0 : 1);
      next.push(Math.min(changed, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
