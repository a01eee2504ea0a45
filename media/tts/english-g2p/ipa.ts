import type { Dialect } from '../../languages.js';
import { isStressed, isVowel, PRIMARY, SECONDARY } from './stress.js';

/**
 * IPA sounds with the most similar phonemes of the English voices, the longest spelling first. Each entry has
 * spellings, a colon, the American phonemes, and the British ones after a slash if they differ. Sources: the
 * charts of the International Phonetic Association; the alphabet of the voices in stress.ts.
 */
const VOWELS = table(`
  eɪ ei: A
  aɪ ai ɑɪ: I
  oʊ ou əʊ əu ɔʊ: O / Q
  aʊ au ɑʊ: W
  ɔɪ ɔi oɪ oi: Y
  eə ɛə: ɛə / ɛː
  ɪə: ɪə
  ʊə: ʊə
  iː: i / iː
  uː: u / uː
  ɑː: ɑ / ɑː
  ɔː: ɔ / ɔː
  ɜː ɜ ɝː ɝ əː øː ø œː œ ɞː ɞ: ɜɹ / ɜː
  ɜɹ ɜːɹ ɝɹ: ɜɹ / ɜːɹ
  ɚ: əɹ / ə
  ɛː: ɛ / ɛː
  eː: A
  oː: O / ɔː
  aː ɐː: ɑ / ɑː
  yː ʉː ɯː: u / uː
  æː: æ / a
  i: i
  ɪ ɨ ᵻ: ɪ
  e ɛ: ɛ
  æ: æ / a
  a: ɑ / a
  ɶ: æ / a
  ɑ: ɑ / ɑː
  ɒ ɒː: ɑ / ɒ
  ɔ: ɔ / ɒ
  o: O / ɒ
  ʊ ʏ ɵ: ʊ
  u y ʉ ɯ: u
  ʌ ɐ ɤ ɤː: ʌ
  ə ɘ: ə
  ᵊ: ᵊ
`);

const CONSONANTS = table(`
  tʃ ʧ tɕ ʨ tʂ ꭧ: ʧ
  dʒ ʤ dʑ ʥ dʐ ʄ: ʤ
  ʦ: ts
  ʣ: dz
  p: p
  b ɓ ʙ: b
  t ʈ: t
  d ɖ ɗ: d
  k x χ c q: k
  ɡ g ɣ ɢ ɟ ɠ: ɡ
  f ɸ: f
  v β ʋ: v
  θ: θ
  ð: ð
  s: s
  z: z
  ʃ ʂ ɕ ç ɧ: ʃ
  ʒ ʐ ʑ ʝ: ʒ
  h ɦ ħ ʜ: h
  m ɱ: m
  n ɳ: n
  ɲ: nj
  ŋ ɴ: ŋ
  l ɫ ɭ ʟ ɬ ɮ ɺ: l
  ʎ: lj
  ɹ r ʀ ʁ ɻ ɽ: ɹ
  ɾ: ɾ / ɹ
  w ʍ ɥ ɰ: w
  j: j
`);

const MAX_SYMBOL_LENGTH = 3;
const NASAL = '\u0303';
const SYLLABIC = '\u0329';
/** Ties, syllable breaks, and details that the English voices do not distinguish. */
const SILENT = /[.|‖‿\-ˑ˞ʔʕʰʱʲʷˠˤⁿˡʼ˥˦˧˨˩ꜛꜜ↗↘]/g;
const OTHER_MARKS = /(?![\u0303\u0329])\p{M}/gu;
const BREAK = '\0';

/**
 * Converts a phonetic transcription to the phoneme alphabet of the English voices. A stress mark is moved from
 * the start of the syllable to its vowel. A word of one syllable gets one if it has none.
 * @returns undefined if a symbol has no similar phoneme, or no phoneme remains
 */
export function phonemesOfIpa(ipa: string, dialect: Dialect): string | undefined {
  const words: string[] = [];
  for (const word of prepared(ipa).split(' ')) {
    if (word === '') continue;
    const phonemes = wordOfIpa(word, dialect === 'us' ? 0 : 1);
    if (phonemes === undefined) return undefined;
    if (phonemes !== '') words.push(phonemes);
  }
  return words.length === 0 ? undefined : words.join(' ');
}

/** Replaces alternative spellings and removes symbols without a sound. */
function prepared(ipa: string): string {
  return (
    ipa
      .normalize('NFD')
      .trim()
      .replace(/^(\/|\[)(.*)(\/|\])$/su, '$2')
      .replace(/ç|c\u0327/g, 'ç')
      .replace(/['’′]/g, PRIMARY)
      .replace(/:/g, 'ː')
      .replace(/([əɛɔɑ])˞/g, '$1ɹ')
      .replace(/\u030d/g, SYLLABIC)
      .replace(OTHER_MARKS, '')
      .replace(/\u0303([ːˑ]+)/g, `$1${NASAL}`)
      // A glottal stop before n is pronounced as t. A break between syllables separates their sounds.
      .replace(/ʔ(?=ə?n)/g, 't')
      .replace(/[.|‖-]/g, BREAK)
      .replace(SILENT, '')
      .replace(/\s+/g, ' ')
  );
}

function wordOfIpa(word: string, column: 0 | 1): string | undefined {
  let phonemes = '';
  let stress = '';
  let syllables = 0;
  for (let at = 0; at < word.length; ) {
    const sign = word[at]!;
    if (sign === PRIMARY || sign === SECONDARY) stress = sign;
    if (sign === PRIMARY || sign === SECONDARY || sign === BREAK) {
      at++;
      continue;
    }
    const vowel = soundAt(VOWELS, word, at);
    const found = vowel ?? soundAt(CONSONANTS, word, at);
    if (!found) return undefined;
    at += found.length;
    const isSyllabic = word[at] === SYLLABIC;
    const sound = (isSyllabic ? 'ᵊ' : '') + found.sounds[column];
    if (vowel) {
      phonemes += stress;
      stress = '';
      syllables++;
    }
    phonemes += sound;
    while (word[at] === SYLLABIC || word[at] === 'ː') at++;
    if (word[at] === NASAL) {
      at++;
      if (vowel && !/[nmŋɲ]/.test(word[at] ?? '')) phonemes += 'n';
    }
  }
  return syllables === 1 && !isStressed(phonemes) ? stressed(phonemes) : phonemes;
}

function soundAt(sounds: ReadonlyMap<string, Sounds>, word: string, at: number) {
  for (let length = MAX_SYMBOL_LENGTH; length > 0; length--) {
    const found = sounds.get(word.slice(at, at + length));
    if (found && at + length <= word.length) return { sounds: found, length };
  }
  return undefined;
}

function stressed(phonemes: string): string {
  const signs = Array.from(phonemes);
  signs.splice(signs.findIndex(isVowel), 0, PRIMARY);
  return signs.join('');
}

type Sounds = readonly [american: string, british: string];

function table(lines: string): ReadonlyMap<string, Sounds> {
  const sounds = new Map<string, Sounds>();
  for (const line of lines.trim().split('\n')) {
    const [spellings = '', said = ''] = line.split(':');
    const [american = '', british = american] = said.split('/').map((part) => part.trim());
    for (const spelling of spellings.trim().split(' ')) sounds.set(spelling, [american, british]);
  }
  return sounds;
}
