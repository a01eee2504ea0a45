import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PhonemeClause } from '../../../../media/tts/phonemizer.js';
import { wordsOfPhonemes } from '../../../../media/tts/piper/phoneme-alignment.js';
import { phonemeIdsOf } from '../../../../media/tts/piper/phoneme-ids.js';
import { parsePiperConfig } from '../../../../media/tts/piper/voice-config.js';
import { JOE_CONFIG } from '../../../support/harness/audio/piper-joe.js';

const config = parsePiperConfig(readFileSync(JOE_CONFIG));
const symbols = new Map([...config.phonemeIds].map(([symbol, [id]]) => [id, symbol]));

function clause(text: string, phonemes: string, more: Partial<PhonemeClause> = {}): PhonemeClause {
  const words = [...text.matchAll(/\w+/g)].map(({ 0: word, index }) => ({
    textStart: index,
    textEnd: index + word.length,
  }));
  return { phonemes, words, alone: [], mark: '.', ...more };
}

const said = (ids: readonly number[]) => ids.map((id) => symbols.get(id)).join('');

describe('phoneme IDs of a Piper voice', () => {
  it('have a pad between phonemes, a start and an end', () => {
    const { ids } = phonemeIdsOf([clause('hi', 'hˈaɪ')], config);
    expect(said(ids)).toBe('^_h_ˈ_a_ɪ_._$');
  });

  it('map to words', () => {
    const { ids, words } = phonemeIdsOf([clause('good day', 'ɡʊd dˈeɪ')], config);
    expect(words.map(({ from, to }) => said(ids.slice(from, to)))).toEqual(['ɡ_ʊ_d_', 'd_ˈ_e_ɪ_']);
  });

  it('are divided between words that were spoken as one', () => {
    const alone = ['ʌv', 'ðˈə', 'dˈeɪ'];
    const { ids, words } = phonemeIdsOf([clause('of the day', 'ʌvðə dˈeɪ', { alone })], config);
    expect(words.map(({ from, to }) => said(ids.slice(from, to)).replaceAll('_', ''))).toEqual([
      'ʌv',
      'ðə',
      'dˈeɪ',
    ]);
  });

  it('map to one word for all parts of a written word', () => {
    const number = { textStart: 0, textEnd: 2 };
    const words = [number, number, { textStart: 3, textEnd: 6 }];
    const script = phonemeIdsOf([clause('', 'fˈɔː tˈuː dˈeɪ', { words })], config);
    expect(script.words.map(({ textStart, textEnd }) => [textStart, textEnd])).toEqual([
      [0, 2],
      [3, 6],
    ]);
    const [first] = script.words;
    expect(said(script.ids.slice(first!.from, first!.to)).replaceAll('_', '')).toBe('fˈɔː tˈuː');
  });

  it('omit unknown phonemes', () => {
    expect(said(phonemeIdsOf([clause('x', 'h世a')], config).ids)).toBe('^_h_a_._$');
  });

  it('follow a transcription, or the written word if the voice lacks a sound', () => {
    const clauses = [clause('good day all', 'ɡʊd dˈeɪ ɔːl')];
    const say = (ipa: string, textEnd = 8) => {
      const { ids, words } = phonemeIdsOf(clauses, config, [{ textStart: 5, textEnd, ipa }]);
      return [said(ids).replaceAll('_', ''), words.length];
    };
    expect(say('tˈɛst')).toEqual(['^ɡʊd tˈɛst ɔːl.$', 3]);
    expect(say('tˈɛst', 12)).toEqual(['^ɡʊd tˈɛst .$', 2]);
    expect(say('世')).toEqual(['^ɡʊd dˈeɪ ɔːl.$', 3]);
  });
});

describe('alignment', () => {
  it('is monotonic for any input', () => {
    const words = wordsOfPhonemes([...'abc xyz'], ['zzz', '', 'abcabc', 'x']);
    expect(words.length).toBe(7);
    expect([...words].sort((a, b) => a - b)).toEqual(words);
    expect(wordsOfPhonemes([], ['a'])).toEqual([]);
    expect(wordsOfPhonemes(['a'], [])).toEqual([0]);
  });
});
