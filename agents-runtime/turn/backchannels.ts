import { wordsOf } from '../../media/text/words.js';
import { TURN_WORDS, turnWordsOf } from './word-lists/registry.js';

/** As speech recognition writes them in any language. */
const SOUNDS = 'mhm mm mmm hm hmm uh-huh ok okay';
const MAX_WORDS = 3;
const backchannelSets = new Map<string, ReadonlySet<string>>();

/** Whether a caller's text has at most three words, all of them backchannels. */
export function isBackchannel(text: string, language: string): boolean {
  let set = backchannelSets.get(language);
  if (!set) {
    const { backchannels } = turnWordsOf(language) ?? TURN_WORDS.en;
    const list = `${SOUNDS} ${backchannels}`;
    set = new Set(list.split(' ').flatMap((word) => wordsOf(word, language)));
    backchannelSets.set(language, set);
  }
  const words = wordsOf(text, language);
  return words.length > 0 && words.length <= MAX_WORDS && words.every((word) => set.has(word));
}
