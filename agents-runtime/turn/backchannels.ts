import { wordsOf } from '../../media/text/words.js';

/** As recognisers write them in any language. */
const SOUNDS = 'mhm mm mmm hm hmm uh-huh ok okay';
/** Sounds and words that say "I am listening": they neither cut nor want an answer. */
const BACKCHANNELS: Readonly<Record<string, string>> = {
  en: 'mhm mm mmm hm hmm uh-huh uh huh yeah yes yep yup ok okay right sure aha oh ah um',
  ca: 'mhm mm hm sí ok vale d’acord aha ah ja clar',
  sv: 'mhm mm hm ja jo jaha ok okej aha precis just',
  es: 'mhm mm hm sí si ok vale claro ajá ya bueno ah',
  fr: 'mhm mm hm oui ouais ok okay bien ah d’accord voilà',
  de: 'mhm mm hm ja ok okay genau aha ach so klar gut',
  it: 'mhm mm hm sì ok va bene certo ah già',
  pt: 'mhm mm hm sim ok tá certo claro ah pois é',
  pl: 'mhm mm hm tak no ok okej dobrze aha jasne',
  ru: 'мхм мм хм да ага угу ок окей хорошо ясно так',
  nl: 'mhm mm hm ja ok oké okay precies aha juist',
};
const backchannelSets = new Map<string, ReadonlySet<string>>();

/** Whether an utterance of at most three words is nothing but backchannels. */
export function isBackchannel(text: string, language: string): boolean {
  let set = backchannelSets.get(language);
  if (!set) {
    const list = `${SOUNDS} ${BACKCHANNELS[language] ?? BACKCHANNELS.en!}`;
    set = new Set(list.split(' ').flatMap((word) => wordsOf(word, language)));
    backchannelSets.set(language, set);
  }
  const words = wordsOf(text, language);
  return words.length > 0 && words.length <= 3 && words.every((word) => set.has(word));
}
