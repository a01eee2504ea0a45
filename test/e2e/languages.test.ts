import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../media/languages.js';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TEXTS: Readonly<Record<string, string>> = { ru: 'Доброе утро.', pl: 'Dzień dobry.' };

interface Voice {
  readonly voice_id: string;
  readonly status: string;
  readonly language: string;
  readonly engine: string;
  readonly installed: boolean;
  readonly default: boolean;
  readonly install?: string;
}

function client(product: Product) {
  const headers = {
    authorization: `Bearer ${product.apiKey}`,
    'content-type': 'application/json',
  };
  const url = `${product.url}/api/v1/tts`;
  return {
    speak: (language: string, text = TEXTS[language] ?? 'Salut, Ada.') => {
      const body = { text, language, audio_format: 'pcm' };
      return fetch(`${url}/speech`, { method: 'POST', headers, body: JSON.stringify(body) });
    },
    voices: async () => {
      const response = await fetch(`${url}/voices?include=builtin`, { headers });
      return (await response.json()) as Voice[];
    },
  };
}

describe('default installation', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product?.stop());

  it.each(LANGUAGES)('speaks %s', async (language) => {
    const response = await client(product).speak(language);
    expect(response.status).toBe(200);
    const pcm = new Int16Array(await response.arrayBuffer());
    expect(pcm.length / 32_000).toBeGreaterThan(0.5);
    expect(pcm.some((sample) => Math.abs(sample) > 1000)).toBe(true);
  });

  const ANY_TEXT = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    fc.constantFrom(
      '[SPELL:',
      'Say [SPELL:AB',
      '[SPELL:]x',
      ']',
      '.',
      '😀',
      '\u0301',
      '١٢٣',
      '1/0',
    ),
  );

  it.each(LANGUAGES)('returns audio or a reason for any text in %s', async (language) => {
    const { speak } = client(product);
    await fc.assert(
      fc.asyncProperty(ANY_TEXT, async (text) => {
        const response = await speak(language, text);
        if (response.status === 200) {
          expect((await response.arrayBuffer()).byteLength % 2).toBe(0);
          return;
        }
        const body = (await response.json()) as { code?: string; detail?: unknown };
        expect([400, 422]).toContain(response.status);
        expect(body.code ?? body.detail).toBeDefined();
      }),
      { numRuns: 8 },
    );
  });

  it('has a default voice per language and names the command that installs a neural voice', async () => {
    const voices = await client(product).voices();
    for (const { status, installed } of voices) {
      expect(status).toBe(installed ? 'AVAILABLE' : 'PENDING');
    }
    for (const language of LANGUAGES) {
      const own = voices.filter((voice) => voice.language === language);
      const [chosen, ...others] = own.filter((voice) => voice.default);
      expect(others).toEqual([]);
      expect(chosen?.installed).toBe(true);
      if (chosen?.engine !== 'formant') continue;
      const neural = own.find((voice) => voice.engine === 'piper');
      expect(neural?.install).toBe(`npm run models -- fetch ${neural?.voice_id}`);
    }
  });
});

describe('installation without the formant engine', () => {
  const folder = makeTestFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A copy of the built product without the engine's package. */
  function withoutPackage(): string {
    const clone = mkdtempSync(join(folder, 'clone-'));
    cpSync(join(ROOT, 'dist'), join(clone, 'dist'), { recursive: true });
    for (const name of ['package.json', 'scripts']) {
      cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    }
    mkdirSync(join(clone, 'node_modules'));
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (name === '@echogarden') continue;
      symlinkSync(join(ROOT, 'node_modules', name), join(clone, 'node_modules', name));
    }
    return join(clone, 'dist/src/main.js');
  }

  it.each([
    ['FORMANT=off', () => ({ env: { FORMANT: 'off' } })],
    ['the package not being there', () => ({ program: [withoutPackage()] })],
  ])('speaks English and explains how to add other languages (%s)', async (_, options) => {
    const product = await startProduct(options());
    try {
      const { speak, voices } = client(product);
      expect((await speak('en')).status).toBe(200);
      const refused = await speak('de');
      const body = (await refused.json()) as { code: string; detail: string };
      expect([refused.status, body.code]).toEqual([409, 'LANGUAGE_NOT_AVAILABLE']);
      expect(body.detail).toContain('npm run models -- add de');
      const german = (await voices()).filter(({ language }) => language === 'de');
      expect(german.map(({ installed }) => installed)).toEqual([false, false]);
    } finally {
      expect(await product.stop()).toBe(0);
    }
  });
});
