import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { MediaError } from '../../errors.js';
import type { Dialect } from '../../languages.js';
import { NormaliserTables } from '../../text/normalise/word-lists/english-tables.js';
import { JsonIndex } from './json-index.js';

const TokenizerExceptions = z.record(z.string(), z.array(z.string()));
const TaggerHead = z.object({
  tags: z.array(z.string()),
  tagdict: z.record(z.string(), z.string()),
  vocab: z.array(z.string()),
});
const UnknownWordTables = z.object({
  in: z.array(z.string()),
  out: z.array(z.string()),
  maxlen: z.int().positive(),
});

/** Alphabets of the model for unknown words. */
export type UnknownWordTables = z.infer<typeof UnknownWordTables>;

/** The tagger's model: words with one tag only, and weights of features for the rest. */
export interface TaggerTables {
  readonly tags: readonly string[];
  readonly tagOfWord: ReadonlyMap<string, string>;
  readonly vocabulary: ReadonlySet<string>;
  readonly weights: JsonIndex;
}

/** The validated data of the English front end. */
export interface EnglishAssets {
  readonly dialect: Dialect;
  /** Pronunciations that people have checked, some by part of speech. */
  readonly gold: JsonIndex;
  /** Generated pronunciations. */
  readonly silver: JsonIndex;
  readonly tagger: TaggerTables;
  readonly tokenizerExceptions: ReadonlyMap<string, readonly string[]>;
  readonly normaliser: NormaliserTables;
  readonly unknownWord: UnknownWordTables;
  /** File of the model for unknown words, which `english-g2p.ts` runs. */
  readonly unknownWordModel: string;
}

const unzip = promisify(gunzip);
const WEIGHTS = '"weights":';

/**
 * Reads the text data of the English voice from the model's folder.
 * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
 */
export async function loadEnglishAssets(folder: string, dialect: Dialect): Promise<EnglishAssets> {
  const unknown = dialect === 'us' ? 'oov' : 'oov_gb';
  const [gold, silver, tagger, exceptions, normaliser, unknownWord] = await Promise.all([
    zippedBytes(folder, `lexicon_${dialect}_gold.json.gz`),
    zippedBytes(folder, `lexicon_${dialect}_silver.json.gz`),
    zippedBytes(folder, 'tagger.json.gz'),
    bytesOf(folder, 'tokenizer_exceptions.json'),
    bytesOf(folder, 'normalize.json'),
    bytesOf(folder, `${unknown}.json`),
  ]);
  return {
    dialect,
    gold: new JsonIndex(gold),
    silver: new JsonIndex(silver),
    tagger: taggerTables(tagger),
    tokenizerExceptions: new Map(Object.entries(parse(TokenizerExceptions, exceptions))),
    normaliser: parse(NormaliserTables, normaliser),
    unknownWord: parse(UnknownWordTables, unknownWord),
    unknownWordModel: join(folder, `${unknown}.onnx`),
  };
}

function taggerTables(bytes: Buffer): TaggerTables {
  const at = bytes.indexOf(WEIGHTS);
  if (at < 0) throw corrupt('tagger.json.gz');
  // Closes the JSON without the weights.
  const head = parse(TaggerHead, Buffer.concat([bytes.subarray(0, at), Buffer.from('"end":0}')]));
  return {
    tags: head.tags,
    tagOfWord: new Map(Object.entries(head.tagdict)),
    vocabulary: new Set(head.vocab),
    weights: new JsonIndex(bytes, at + WEIGHTS.length),
  };
}

function parse<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw corrupt('a table', cause);
  }
}

async function bytesOf(folder: string, name: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, name));
  } catch (cause) {
    throw new MediaError('MODEL_MISSING', `The English voice has no file ${name}`, { cause });
  }
}

async function zippedBytes(folder: string, name: string): Promise<Buffer> {
  const zipped = await bytesOf(folder, name);
  try {
    return await unzip(zipped);
  } catch (cause) {
    throw corrupt(name, cause);
  }
}

function corrupt(name: string, cause?: unknown): MediaError {
  return new MediaError('MODEL_CORRUPT', `The English voice cannot read ${name}`, { cause });
}
