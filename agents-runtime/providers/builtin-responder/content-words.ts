import { wordsOf } from '../../../media/text/words.js';

/** Too common to tell what a question is about. */
const COMMON = new Set(
  "a an and are as at be by can could do does did for from had has have how i if in is it its it's me my of on or our please so tell than that the their them there they this to us was we were what when where which who why will with would you your about any get give know like much many some want need i'm i'd what's where's when's who's let's don't doesn't can't may might should shall must am been being not no just also then now here say said hey hello hi okay ok uh um something anything".split(
    ' ',
  ),
);
/** They tell what is asked about a topic, and no topic. */
const FRAMING = new Set(
  'near long late open opened opening close closed cost costs price prices pay charge charges time times hour hours take takes happen happens sell buy bring come go good find located location often soon day days today tomorrow please exactly'.split(
    ' ',
  ),
);

/** The words of substance, without their endings: only ever compared with their like. */
export function contentWords(text: string, language: string): Set<string> {
  return new Set(
    wordsOf(text, language)
      .filter((word) => !COMMON.has(word))
      .map(stem),
  );
}

/** What a question is about, in its own words; empty when it says no more than "when" or "where". */
export function topicOf(question: string, language: string): string[] {
  return wordsOf(question, language).filter((word) => !COMMON.has(word) && !FRAMING.has(word));
}

/** English endings off, so that "returns" meets "return". */
function stem(word: string): string {
  const plain = word.replace(/'s$/, '');
  if (plain.length <= 4) return plain.replace(/s$/, '');
  return plain.replace(/ies$/, 'y').replace(/(ing|ed|es|s|e)$/, '');
}
