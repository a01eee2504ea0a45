import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MediaError } from '../errors.js';
import { bertTokenizerJson } from './minilm-tokenizer.js';

/** A sentence model's files and settings; plain data for the worker. */
export interface SentenceModel {
  readonly modelFile: string;
  /** Content of `tokenizer.json` and of `tokenizer_config.json`. */
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
  /** Maximum number of tokens of an input; the worker cuts longer ones. */
  readonly maxTokens: number;
  /** Recommended maximum length of a text in tokens. Lower than `maxTokens` because token counts are estimated. */
  readonly windowTokens: number;
  /** The vector is the state of the first token; otherwise the mean over all tokens. */
  readonly isFirstToken: boolean;
  /** Text to add before a question or a passage; empty for most models. */
  readonly questionPrefix: string;
  readonly passagePrefix: string;
}

/** Possible names of the model file, the smallest export first. */
const MODEL_FILES = [
  'model.onnx',
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'onnx/model.onnx',
];
/** Maximum and default of `maxTokens`. */
const MAX_TOKENS = 512;
const DEFAULT_TOKENS = 256;
/** `windowTokens` as a share of `maxTokens`. */
const WINDOW_SHARE = 0.85;

/**
 * Reads a folder in the layout of sentence-transformers: `model.onnx` (or `onnx/…`), `tokenizer.json` and
 * optionally `tokenizer_config.json`, `1_Pooling/config.json`, `sentence_bert_config.json` and
 * `config_sentence_transformers.json`.
 * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
 */
export async function readSentenceModel(folder: string): Promise<SentenceModel> {
  const modelFile = await firstExisting(MODEL_FILES.map((name) => join(folder, name)));
  const tokenizer = await readJson(join(folder, 'tokenizer.json'));
  if (!modelFile || !tokenizer) {
    const missing = modelFile ? 'tokenizer.json' : 'model.onnx';
    throw new MediaError('MODEL_MISSING', `The sentence model in ${folder} has no ${missing}`);
  }
  const pooling = (await readJson(join(folder, '1_Pooling/config.json'))) ?? {};
  const limits = (await readJson(join(folder, 'sentence_bert_config.json'))) ?? {};
  const { prompts } = (await readJson(join(folder, 'config_sentence_transformers.json'))) ?? {};
  const configured = Number(limits.max_seq_length);
  const maxTokens = Math.min(MAX_TOKENS, configured >= 16 ? configured : DEFAULT_TOKENS);
  return {
    modelFile,
    tokenizer,
    tokenizerConfig: (await readJson(join(folder, 'tokenizer_config.json'))) ?? {},
    maxTokens,
    windowTokens: Math.floor(maxTokens * WINDOW_SHARE),
    isFirstToken: pooling.pooling_mode_cls_token === true,
    questionPrefix: prefixOf(prompts, ['query']),
    passagePrefix: prefixOf(prompts, ['passage', 'document']),
  };
}

/** The files and settings of the catalogue's MiniLM, whose folder has `model.onnx` only. */
export async function miniLmModel(folder: string): Promise<SentenceModel> {
  return {
    modelFile: join(folder, 'model.onnx'),
    tokenizer: await bertTokenizerJson(),
    tokenizerConfig: {},
    // Source: the model's training.
    maxTokens: 128,
    windowTokens: 110,
    isFirstToken: false,
    questionPrefix: '',
    passagePrefix: '',
  };
}

function prefixOf(prompts: unknown, names: readonly string[]): string {
  if (typeof prompts !== 'object' || prompts === null) return '';
  const found = Object.entries(prompts).find(([name]) => names.includes(name))?.[1];
  return typeof found === 'string' ? found : '';
}

async function firstExisting(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) return file;
  }
  return undefined;
}

async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', `${file} is not valid JSON`, { cause });
  }
  throw new MediaError('MODEL_CORRUPT', `${file} must contain a JSON object`);
}
