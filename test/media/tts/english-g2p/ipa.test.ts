import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phonemesOfIpa } from '../../../../media/tts/english-g2p/ipa.js';
import { ENGLISH_VOICE } from '../../../support/harness/audio/english-front-end.js';
import '../../../support/harness/process/property-seed.js';

describe('transcription', () => {
  /** Expected: the entries of the voice's own lexicons. */
  it.each([
    ['hjuːdʒ', 'hjˈuʤ', 'hjˈuːʤ'],
    ['ˈhɛɹ', 'hˈɛɹ', 'hˈɛɹ'],
    ['heə', 'hˈɛə', 'hˈɛː'],
    ['nɜːs', 'nˈɜɹs', 'nˈɜːs'],
    ['ɡəʊt', 'ɡˈOt', 'ɡˈQt'],
    ['goʊt', 'ɡˈOt', 'ɡˈQt'],
    ['ˈwɔːtə', 'wˈɔtə', 'wˈɔːtə'],
    ['əˈbaʊt', 'əbˈWt', 'əbˈWt'],
    ['lɒt', 'lˈɑt', 'lˈɒt'],
    ['bɔɪ', 'bˈY', 'bˈY'],
    ['t͡ʃɜːt͡ʃ', 'ʧˈɜɹʧ', 'ʧˈɜːʧ'],
    ['ˈhæpi', 'hˈæpi', 'hˈapi'],
    ['ˈlɪtl̩', 'lˈɪtᵊl', 'lˈɪtᵊl'],
  ])('%s is converted to the alphabet of either voice', (ipa, us, gb) => {
    expect([phonemesOfIpa(ipa, 'us'), phonemesOfIpa(ipa, 'gb')]).toEqual([us, gb]);
  });

  it.each([
    ['ˌintəˈnæʃənəl', 'ˌintənˈæʃənəl'],
    ['nɑˈiv', 'nɑˈiv'],
    ['ˈhɒt.ʃɒt', 'hˈɑtʃɑt'],
    ["he'loʊ", 'hɛlˈO'],
    ['/ˈtɛst/', 'tˈɛst'],
    ['ˈnjuː ˈjɔːrk', 'njˈu jˈɔɹk'],
    ['ə', 'ˈə'],
  ])('%s has its stress before the vowel', (ipa, phonemes) => {
    expect(phonemesOfIpa(ipa, 'us')).toBe(phonemes);
  });

  it.each([
    ['ˈbaχ', 'bˈɑk'],
    ['fiˈɒ̃ːn.seɪ', 'fiˈɑnsA'],
    ['bɔ̃ʒuʁ', 'bɔnʒuɹ'],
    ['ˈløːvə', 'lˈɜɹvə'],
    ['ɲoki', 'njOki'],
    ['ˈçuːʐ˥˩', 'ʃˈuʒ'],
    ['hawaiʔi', 'hɑwIi'],
  ])('%s uses the nearest sounds', (ipa, phonemes) => {
    expect(phonemesOfIpa(ipa, 'us')).toBe(phonemes);
  });

  it.each(['ǃkoː', 'hello!', '漢', 'kæt2', '', ' . ', 'ˈ', 'A'])(
    '%j is rejected, because it has no similar sound',
    (ipa) => expect(phonemesOfIpa(ipa, 'us')).toBe(undefined),
  );

  it('never gives a symbol that the voice does not have, for any input', async () => {
    const vocabulary = JSON.parse(await readFile(join(ENGLISH_VOICE, 'vocab.json'), 'utf8'));
    const known = new Set([...Object.keys(vocabulary), 'ɾ']);
    const signs = [...'pbtdkɡgfvθðszʃʒhmnŋlɹrwjiɪeɛæaɑɒɔoʊuʌəɜɝɚyøœɲʎχʁɾʔ'];
    const marks = [...'ˈˌː.̩̃̍ͅ ˞ʰ̯͡', 'dʒ', 'tʃ', 'eɪ', 'aɪ', 'oʊ', 'əʊ', 'ɪə'];
    const ipa = fc.array(fc.constantFrom(...signs, ...marks), { maxLength: 30 });
    fc.assert(
      fc.property(ipa, fc.constantFrom('us', 'gb'), (parts, dialect) => {
        for (const sign of phonemesOfIpa(parts.join(''), dialect as 'us' | 'gb') ?? '') {
          expect(known).toContain(sign);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
