import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { languageModels } from '../../../src/features/model-catalogue/language-model-settings.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const NONE = {
  LLM_BASE_URL: undefined,
  LLM_API_KEY: undefined,
  LLM_MODELS: [],
  LLM_FILE: undefined,
  LLM_FALLBACKS: [],
  LLM_CONTEXT_TOKENS: 16_384,
};

function file(text: string): string {
  const path = join(makeTestFolder(), 'llm.json');
  writeFileSync(path, text);
  return path;
}

describe('LLM settings', () => {
  it('contain no models by default', () => {
    expect(languageModels(NONE)).toEqual({ named: [], servers: [] });
  });

  it('contain the server of the environment and those of the file, in that order', () => {
    const path = file(
      '[{"base_url":"http://127.0.0.1:2/v1","api_key":"k","models":["b","c"],"context_tokens":4096}]',
    );
    const settings = {
      ...NONE,
      LLM_BASE_URL: 'http://127.0.0.1:1/v1',
      LLM_MODELS: ['a'],
      LLM_FILE: path,
    };
    expect(languageModels(settings).named).toEqual([
      { id: 'a', baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined, contextTokens: 16_384 },
      { id: 'b', baseUrl: 'http://127.0.0.1:2/v1', apiKey: 'k', contextTokens: 4_096 },
      { id: 'c', baseUrl: 'http://127.0.0.1:2/v1', apiKey: 'k', contextTokens: 4_096 },
    ]);
  });

  it('may use models as fallbacks for each other, including the built-in responder', () => {
    const own = { ...NONE, LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODELS: ['a'] };
    const withBoth = { ...own, LLM_FALLBACKS: ['a', 'parley-extractive-v1'] };
    expect(languageModels(withBoth).named).toHaveLength(1);
    expect(() => languageModels({ ...own, LLM_FALLBACKS: ['b'] })).toThrow(
      'LLM_FALLBACKS contains the model b, which no server has: use a, parley-extractive-v1.',
    );
  });

  it.each([
    ['a missing file', '/nowhere/llm.json', /cannot be read/],
    ['no JSON', file('{'), /not valid JSON/],
    ['no URL', file('[{"base_url":"ftp://x","models":["a"]}]'), /0\.base_url/],
    ['an unknown member', file('[{"base_url":"http://x","models":["a"],"key":"k"}]'), /not valid/],
    [
      'the same model twice',
      file('[{"base_url":"http://x","models":["a","a"]}]'),
      /Two LLM servers have the model a/,
    ],
  ])('are rejected with one sentence: %s', (_, path, sentence) => {
    expect(() => languageModels({ ...NONE, LLM_FILE: path })).toThrow(sentence);
  });
});
