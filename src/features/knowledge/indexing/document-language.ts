import type { Language } from '../../../../media/languages.js';

/** Frequent function words of each language that are rare in the other ones. */
const FUNCTION_WORDS: Readonly<Record<Language, string>> = {
  en: 'the of and to is that for with are this be from you your we which',
  ca: 'amb els les una dels és per aquest aquesta són també més però seva i',
  sv: 'och att det som är för på av inte med till ett har kan vi',
  es: 'los las una del es por para con está más como pero sus y este',
  fr: 'les des est une dans pour que vous avec sur pas nous sont aux et',
  de: 'der die und das ist nicht ein eine für mit auf den von zu sie wir',
  it: 'il che di è per una della sono con non gli nel anche più alla',
  pt: 'os uma não para com é dos da do ao mais como pelo são você',
  pl: 'się nie na jest że do oraz dla przez jak są lub od po przy',
  ru: 'и в не на что с по это как для от или при мы вы',
  nl: 'het een van en de is niet dat voor met zijn wij u bij op',
};

const WORDS = Object.entries(FUNCTION_WORDS).map(
  ([language, words]) => [language as Language, new Set(words.split(' '))] as const,
);
/** Characters from the start of the text. */
const SAMPLE_LENGTH = 4_000;

/** Detects the language of a text by its function words. Default: English. */
export function documentLanguage(text: string): Language {
  const words =
    text
      .slice(0, SAMPLE_LENGTH)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  let best: Language = 'en';
  let most = 0;
  for (const [language, small] of WORDS) {
    const count = words.filter((word) => small.has(word)).length;
    if (count > most) {
      best = language;
      most = count;
    }
  }
  return best;
}
