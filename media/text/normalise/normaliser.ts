import { addresses } from '../addresses.js';
import { AlignedText, type SpokenForm } from '../aligned-text.js';
import { MARKUP } from '../markup.js';
import { CLEANING, isPlain, SPACING } from '../sanitise.js';
import { signNamesOf } from '../speech-text.js';
import { type SettledWord, withSigns } from './fixed-pronunciations.js';
import { abbreviationRules } from './rules/abbreviation-rules.js';
import { clockRules } from './rules/clock-rules.js';
import { dateRules } from './rules/date-rules.js';
import type { Grammar } from './rules/grammar.js';
import { acronymRule, spellingRule, spellOut } from './rules/letter-rules.js';
import { moneyRules } from './rules/money-rules.js';
import { firstNumberRules, numberRules, signRules } from './rules/number-rules.js';
import { phoneRules } from './rules/phone-rules.js';
import { unitRules } from './rules/unit-rules.js';

const NUMERAL = /\p{N}/u;

/** Writes a text as it is said in one language: no digit or abbreviation remains, only words and pauses. */
export class LanguageNormaliser {
  readonly #written: readonly SpokenForm[];
  readonly #numeric: readonly SpokenForm[];
  readonly #own: readonly SpokenForm[];
  readonly #measures: readonly SpokenForm[];
  readonly #short: readonly SpokenForm[];
  readonly #numbers: readonly SpokenForm[];
  readonly #last: readonly SpokenForm[];

  constructor(grammar: Grammar) {
    const spell = (letters: string) => spellOut(letters, grammar, ' ');
    this.#written = [
      spellingRule(grammar),
      ...MARKUP,
      ...SPACING,
      ...addresses({ signs: signNamesOf(grammar.language), spell }),
    ];
    this.#numeric = [
      ...firstNumberRules(grammar),
      ...clockRules(grammar),
      ...dateRules(grammar),
      ...phoneRules(grammar),
      ...signRules(grammar),
    ];
    this.#own = grammar.own;
    this.#measures = [...moneyRules(grammar), ...unitRules(grammar)];
    this.#short = abbreviationRules(grammar);
    this.#numbers = numberRules(grammar);
    this.#last = [...signs(grammar), acronymRule(grammar), ...SPACING];
  }

  /**
   * The ranges of what comes back are those of `written`, or of the text that it was made of.
   * @param settled stay as they are, each as a sign.
   */
  normalise(written: string | AlignedText, settled: readonly SettledWord[] = []): AlignedText {
    let text = typeof written === 'string' ? AlignedText.of(written) : written;
    if (!isPlain(text.text)) text = apply(text, CLEANING);
    text = apply(withSigns(text, settled), this.#written);
    if (NUMERAL.test(text.text)) text = apply(text, this.#numeric);
    text = apply(text, this.#own);
    if (NUMERAL.test(text.text)) text = apply(text, this.#measures);
    text = apply(text, this.#short);
    if (NUMERAL.test(text.text)) text = apply(text, this.#numbers);
    return apply(text, this.#last);
  }
}

/** Signs between words. */
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
      // A name on a network
      pattern: /(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}_])/gu,
      needs: '@',
      say: () => `${signNamesOf(language).get('@')} `,
    },
    { pattern: /§+ ?/g, needs: '§', say: () => `${words.paragraph} ` },
    { pattern: /№ ?/g, needs: '№', say: () => `${words.number} ` },
    { pattern: /(?<!\S)# ?(?=\p{L})/gu, needs: '#', say: () => `${words.number} ` },
  ];
}

function apply(text: AlignedText, rules: readonly SpokenForm[]): AlignedText {
  return rules.reduce((current, rule) => current.rewrite(rule), text);
}
