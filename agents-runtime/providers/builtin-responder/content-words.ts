import { wordsOf } from '../../../media/text/words.js';

/** Function words and phrases of conversation. */
const COMMON = new Set(
  "a an and are as at be by can could do does did for from had has have how i if in is it its it's me my of on or our please so tell than that the their them there they this to us was we were what when where which who why will with would you your about any get give know like much many some want need i'm i'd what's where's when's who's let's don't doesn't can't may might should shall must am been being not no just also then now here say said hey hello hi okay ok uh um something anything".split(
    ' ',
  ),
);
/** Words that ask for a property of a topic, such as its price or its hours. */
const FRAMING = new Set(
  'near long late open opened opening close closed cost costs price prices pay charge charges time times hour hours take takes happen happens sell buy bring come go good find located location often soon day days today tomorrow please exactly'.split(
    ' ',
  ),
);

/** The stems of the content words. */
export function contentWords(text: string, language: string): Set<string> {
  return new Set(
    wordsOf(text, language)
      .filter((word) => !COMMON.has(word))
      .map(stem),
  );
}

/** The words that name the topic of a question. Empty for a bare "when" or "where". */
export function topicOf(question: string, language: string): string[] {
  return wordsOf(question, language).filter((word) => !COMMON.has(word) && !FRAMING.has(word));
}

/** Removes English endings, so that "returns" matches "return". */
function stem(word: string): string {
  const plain = word.replace(/'s$/, '');
  if (plain.length <= 4) return plain.replace(/s$/, '');
  return plain.replace(/ies$/, 'y').replace(/(ing|ed|es|s|e)$/, '');
}
