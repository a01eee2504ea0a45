import { describe, expect, it } from 'vitest';
import { englishNormaliser } from '../../../../../media/text/normalise/english/english-normaliser.js';
import { loadEnglishAssets } from '../../../../../media/tts/english-g2p/assets.js';
import { languageCases } from '../../../../support/corpora/language-cases.js';
import { ENGLISH_VOICE } from '../../../../support/harness/audio/english-front-end.js';

const { normaliser: tables } = await loadEnglishAssets(ENGLISH_VOICE, 'us');
const normaliser = englishNormaliser(tables, 'us');

/** The spoken text: spelled letters as capitals, the decimal point as "point", no hyphens. */
function said(written: string): string {
  return normaliser
    .normalise(written)
    .text.replaceAll('\ue02e', 'point')
    .replace(/[\ue021-\ue07e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xe000))
    .replaceAll('-', ' ');
}

describe('English text', () => {
  const cases = languageCases('en');

  it('has a case for each category', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
  });

  it.each(cases)('$written is spoken as "$spoken"', ({ written, spoken }) => {
    expect(said(written)).toBe(spoken);
  });
});
