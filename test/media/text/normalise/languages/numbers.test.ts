import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { normaliserOf } from '../../../../../media/text/normalise/registry.js';

const FILE = new URL('../../../../fixtures/languages/numbers/num2words.json', import.meta.url);
const NUMBERS = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Record<string, string>>;

/** Removes orthographic variants: spaces, hyphens, commas between classes. */
function bare(words: string): string {
  return words.toLowerCase().replace(/[ ,-]/g, '');
}

describe.each(Object.entries(NUMBERS))('numbers of num2words in %s', (language, numbers) => {
  it("are equal, except for the differences listed in the fixtures' README", () => {
    expect(Object.keys(numbers).length).toBeGreaterThan(35);
    for (const [digits, words] of Object.entries(numbers)) {
      const isLong = Number(digits) >= 10_000;
      const written = isLong ? digits.replace(/\B(?=(\d{3})+$)/g, '.') : digits;
      expect(bare(normaliserOf(language)?.normalise(written).text ?? ''), digits).toBe(bare(words));
    }
  });
});
