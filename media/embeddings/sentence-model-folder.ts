import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MediaError } from '../errors.js';

/** What a folder of a sentence model says, with its defaults; plain data for the worker. */
export interface SentenceModelFolder {
  readonly modelFile: string;
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
  readonly mostTokens: number;
  /** The first token's state stands for the text; else the mean over all. */
  readonly isFirstToken: boolean;
  readonly questionPrefix: string;
  readonly passagePrefix: string;
}

/** Where exports of the model lie, the smallest first. */
const MODEL_FILES = [
  'model.onnx',
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'onnx/model.onnx',
];
const MAX_TOKENS = 512;
const USUAL_TOKENS = 256;

/**
 * Reads a folder in the layout of sentence-transformers: `model.onnx` (or `onnx/…`) and
 * `tokenizer.json`; and where they are there `tokenizer_config.json`, `1_Pooling/config.json`,
 * `sentence_bert_config.json` and `config_sentence_transformers.json`.
 * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
 */
export async function readSentenceModel(folder: string): Promise<SentenceModelFolder> {
  const modelFile = await firstThere(MODEL_FILES.map((name) => join(folder, name)));
  const tokenizer = await jsonOf(join(folder, 'tokenizer.json'));
  if (!modelFile || !tokenizer) {
    const missing = modelFile ? 'tokenizer.json' : 'model.onnx';
    throw new MediaError('MODEL_MISSING', `The sentence model in ${folder} has no ${missing}`);
  }
  const pooling = (await jsonOf(join(folder, '1_Pooling/config.json'))) ?? {};
  const limits = (await jsonOf(join(folder, 'sentence_bert_config.json'))) ?? {};
  const { prompts } = (await jsonOf(join(folder, 'config_sentence_transformers.json'))) ?? {};
  const told = Number(limits.max_seq_length);
  return {
    modelFile,
    tokenizer,
    tokenizerConfig: (await jsonOf(join(folder, 'tokenizer_config.json'))) ?? {},
    mostTokens: Math.min(MAX_TOKENS, told >= 16 ? told : USUAL_TOKENS),
    isFirstToken: pooling.pooling_mode_cls_token === true,
    questionPrefix: prefixOf(prompts, ['query']),
    passagePrefix: prefixOf(prompts, ['passage', 'document']),
  };
}

function prefixOf(prompts: unknown, names: readonly string[]): string {
  if (typeof prompts !== 'object' || prompts === null) return '';
  const found = Object.entries(prompts).find(([name]) => names.includes(name))?.[1];
  return typeof found === 'string' ? found : '';
}

async function firstThere(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

async function jsonOf(file: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', `${file} is no JSON`, { cause });
  }
  throw new MediaError('MODEL_CORRUPT', `${file} holds no object`);
}
