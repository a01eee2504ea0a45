import type { Language } from '../../languages.js';

/** IPA sound → the engine's phoneme mnemonic, for one voice. */
export type PhonemeMap = ReadonlyMap<string, string>;

/** Words with most sounds of a language, from whose phonemes `phonemeMapOf` builds the map. */
export const SOUND_SAMPLES: Readonly<Record<Language, string>> = {
  en: 'the quick brown fox jumps over thin measure church judge boy banjo father bird see food book day go my now law cat bed hit cup hot near hair sing shy yes about happy',
  ca: 'el jove cavaller xerra amb la noia al lluny, bo, això, platja, metge, cafè, tot, peix, rosa, carro, vida, gat, any, sis, hotel, llibre, veu, aigua',
  sv: 'hej kära flygande bäckasiner söka hwila på mjuka tuvor, sju, tjugo, kött, göra, barn, hus, öl, över, man, mat, fin, finn, bok, boll, båt, lång, värld, fort',
  es: 'el veloz murciélago comía feliz cardillo y kiwi jugo año perro chico llave gato dedo bebé zapato cinco reloj bueno agua guerra ley',
  fr: 'le vieux juge blond fume et boit un bon vin, peur, feu, fou, rue, lui, agneau, chat, jour, robe, thé, lait, mot, mort, patte, enfant, yeux, parking, oui, maison, zéro, gagner, nuit',
  de: 'zwölf boxkämpfer jagen viktor quer über den großen deich, schön, bücher, ich, ach, auto, heute, genie, tschüss, mann, bitte, bett, kuss, kuh, gott, pfad, singen, see, sah, hose',
  it: 'quel vituperabile xenofobo zelante assaggia il whisky ed esclama, gnomo, figlio, sci, cena, gelo, casa, zona, zio, bene, perché, però, cosa, uomo, rosa, pizza',
  pt: 'um pequeno jabuti xereta viu dez cegonhas felizes, manhã, filho, tia, dia, rato, carro, pão, mãe, bem, sim, bom, avó, avô, pé, você, lua, gato, zebra, põe',
  pl: 'pchnąć w tę łódź jeża lub ośm skrzyń fig, cześć, dżem, dzień, dzwon, szkoła, żaba, cena, mysz, koń, ręka, zima, byk, gęś, kiedy, hotel, dom, rok, ta',
  ru: 'съешь ещё этих мягких французских булок да выпей чаю, жук, цирк, дом, мама, рыба, лето, небо, год, шум, хлеб, зима, пять, юла, яма, объект, тётя, вода, конь',
  nl: 'pas wijze lynx bezag vroom het fikse aquaduct, huis, deur, goed, school, vuur, koud, man, maan, pot, boot, pit, put, beet, bed, zing, jas, de, rood, lach',
};

const STRESS = /[ˈˌ',]/g;
/** Marks without a sound: pauses, words in another language. */
const NO_SOUND = /^[:;|!]*$|[(#]/;

/** Pairs the sounds of the same words in IPA and in the engine's mnemonics. */
export function phonemeMapOf(ipa: string, mnemonics: string): PhonemeMap {
  const sounds = new Map<string, string>();
  const mnemonicWords = mnemonics.split(' ');
  for (const [i, word] of ipa.split(' ').entries()) {
    const written = partsOf(word);
    const spelt = partsOf(mnemonicWords[i] ?? '');
    if (written.length !== spelt.length) continue;
    for (const [k, sound] of written.entries()) {
      const key = sound.replace(STRESS, '').replace(/-$/, '').normalize('NFC');
      const value = spelt[k]!.replace(STRESS, '');
      const known = sounds.get(key);
      // The default form of a phoneme is shorter than its position-dependent variants.
      const isBetter = known === undefined || value.length < known.length;
      if (key !== '' && !NO_SOUND.test(value) && isBetter) sounds.set(key, value);
    }
  }
  return sounds;
}

function partsOf(word: string): string[] {
  return word.split('_').filter((part) => part !== '');
}

/** Substitutes for a sound that a language lacks, the most similar first. */
const NEAREST: readonly string[] = [
  'r ɹ ɾ ʁ ʀ ɻ',
  'ɹ r ɾ ʁ',
  'ɾ r ɹ ʁ',
  'ʁ r ɾ ɹ',
  'a ɑ ɑː aː æ ɐ ʌ',
  'ɑː ɑ aː a',
  'æ a ɛ',
  'e eː eɪ ɛ',
  'ɛ e æ',
  'eɪ eː e',
  'o oː oʊ ɔ',
  'ɔ o ɔː ɒ',
  'oʊ oː o əʊ',
  'ɔː ɔ oː',
  'i iː ɪ',
  'ɪ i ᵻ',
  'u uː ʊ',
  'ʊ u uː',
  'ə ɐ ɜ e a',
  'ʌ ɐ ə a',
  'ʒ ʐ ʃ z',
  'ʃ ʂ ɕ s',
  'x χ ç h k',
  'h x',
  'w v ʋ',
  'v β w b',
  'θ s t',
  'ð d z',
  'ŋ n ɲ',
  'ɲ n',
  'l ɫ ɭ',
  'ɡ g ɣ',
  'b β',
  'd ð',
  'y yː u uː',
  'ø øː œ ɛ',
];
const STAND_INS: ReadonlyMap<string, readonly string[]> = new Map(
  NEAREST.map((line) => line.split(' ')).map(([sound = '', ...others]) => [sound, others]),
);
const VOWEL = /[aeiouyæɑɒɔəɛɜɐɪʊʌœøɨʉɯɵɤɘɞʏɚɝᵻ]/u;
const MAX_SOUND_LENGTH = 4;

/**
 * Converts a transcription to the engine's mnemonics; undefined if the voice lacks one of its sounds. The
 * engine expects the stress mark before the vowel. Source: eSpeak NG, docs/phonemes.md.
 */
export function mnemonicsOf(ipa: string, sounds: PhonemeMap): string | undefined {
  const plain = ipa
    .normalize('NFC')
    .replace(/[.\s‿|/[\]]|\u0361|\u035c/g, '')
    .replaceAll('g', 'ɡ');
  let said = '';
  let stress = '';
  for (let at = 0; at < plain.length; ) {
    const mark = plain[at]!;
    if (mark === 'ˈ' || mark === 'ˌ') {
      stress = mark === 'ˈ' ? "'" : ',';
      at++;
      continue;
    }
    const found = soundAt(plain, at, sounds);
    if (!found) return undefined;
    const isVowel = VOWEL.test(plain.slice(at, at + found.length));
    said += `${isVowel ? stress : ''}${found.mnemonic}`;
    if (isVowel) stress = '';
    at += found.length;
  }
  return said === '' ? undefined : said;
}

function soundAt(
  ipa: string,
  at: number,
  sounds: PhonemeMap,
): { readonly mnemonic: string; readonly length: number } | undefined {
  for (let length = MAX_SOUND_LENGTH; length > 0; length--) {
    const sound = ipa.slice(at, at + length);
    if (sound.length < length) continue;
    const mnemonic = [sound, ...(STAND_INS.get(sound) ?? [])]
      .map((one) => sounds.get(one))
      .find(Boolean);
    if (mnemonic !== undefined) return { mnemonic, length };
  }
  // A length or other mark that the language does not distinguish is dropped.
  return /[ː\u02b0-\u02c7\p{M}]/u.test(ipa[at]!) ? { mnemonic: '', length: 1 } : undefined;
}
