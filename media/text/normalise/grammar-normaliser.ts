import { addresses } from '../addresses.js';
import type { SpokenForm } from '../aligned-text.js';
import { MARKUP } from '../markup.js';
import { SPACING } from '../sanitise.js';
import { signNamesOf } from '../speech-text.js';
import { abbreviationRules } from './rules/abbreviation-rules.js';
import { clockRules } from './rules/clock-rules.js';
import { dateRules } from './rules/date-rules.js';
import type { Grammar } from './rules/grammar.js';
import { acronymRule, spellingRule, spellOut } from './rules/letter-rules.js';
import { moneyRules } from './rules/money-rules.js';
import { firstNumberRules, numberRules, signRules } from './rules/number-rules.js';
import { phoneRules } from './rules/phone-rules.js';
import { unitRules } from './rules/unit-rules.js';
import { TextNormaliser } from './text-normaliser.js';

const NUMERAL = /\p{N}/u;

/** Creates the normaliser of a language from its grammar and the shared rules. */
export function grammarNormaliser(grammar: Grammar): TextNormaliser {
  const spell = (letters: string) => spellOut(letters, grammar, ' ');
  return new TextNormaliser([
    {
      rules: [
        spellingRule(grammar),
        ...MARKUP,
        ...SPACING,
        ...addresses({ signs: signNamesOf(grammar.language), spell }),
      ],
    },
    {
      rules: [
        ...firstNumberRules(grammar),
        ...clockRules(grammar),
        ...dateRules(grammar),
        ...phoneRules(grammar),
        ...signRules(grammar),
      ],
      needs: NUMERAL,
    },
    { rules: grammar.own },
    { rules: [...moneyRules(grammar), ...unitRules(grammar)], needs: NUMERAL },
    { rules: abbreviationRules(grammar) },
    { rules: numberRules(grammar), needs: NUMERAL },
    { rules: [...signs(grammar), acronymRule(grammar), ...SPACING] },
  ]);
}

/** Returns the rules for signs between words. */
function signs({ language, words }: Grammar): SpokenForm[] {
  const alone = (sign: string, word: string): SpokenForm => ({
    pattern: new RegExp(`(?<=\\S) ?${sign} ?(?=\\p{L})`, 'gu'),
    needs: sign,
    say: () => ` ${word} `,
  });
  return [
    alone('&', words.and),
    alone('=', words.equals),
    {
      // "@name"
      pattern: /(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}_])/gu,
      needs: '@',
      say: () => `${signNamesOf(language).get('@')} `,
    },
    { pattern: /§+ ?/g, needs: '§', say: () => `${words.paragraph} ` },
    { pattern: /№ ?/g, needs: '№', say: () => `${words.number} ` },
    { pattern: /(?<!\S)# ?(?=\p{L})/gu, needs: '#', say: () => `${words.number} ` },
  ];
}
