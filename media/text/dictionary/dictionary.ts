import { runInSteps, runToEnd, type SteppedTask } from '../../async/cooperative.js';
import { AlignedText, type TextEdit, type TextRange } from '../aligned-text.js';
import { toNfc } from './nfc-text.js';
import type { PronunciationRule } from './pronunciation-rule.js';
import { type RuleIndex, type RuleKey, ruleIndex } from './rule-index.js';
import { keyOf, type ScannedText, scanned, type View } from './scanned-text.js';

/** A part of a text with a phonetic transcription. */
export interface Pronounced extends TextRange {
  /** In the International Phonetic Alphabet. */
  readonly ipa: string;
}

/** The result of applying a dictionary to a text. */
export interface Replaced {
  /** The text after the replacements; its origin is the written text. */
  readonly text: AlignedText;
  /** Parts of the written text that have a transcription. */
  readonly pronounced: readonly Pronounced[];
  /** False if the replacements reached their limit; the rest of the text is unchanged. */
  readonly isWhole: boolean;
}

/** Maximum number of UTF-16 units that replacements add. Without it, 5,000 long replacements give a day of speech. */
const MAX_GROWTH = 10_000;
/** Rules that are converted to keys in one step. */
const RULES_AT_ONCE = 500;

interface Match {
  readonly start: number;
  readonly end: number;
  readonly rule: PronunciationRule;
}

/** The rules of one version of a pronunciation dictionary, with an index. */
export class Dictionary {
  readonly #rules: readonly PronunciationRule[];
  readonly #exact: RuleIndex;
  readonly #folded: RuleIndex;

  constructor(rules: readonly PronunciationRule[], indexes = runToEnd(indexesOf(rules))) {
    this.#rules = rules;
    this.#exact = indexes.exact;
    this.#folded = indexes.folded;
  }

  /**
   * Like the constructor, but in steps, because the index of ten thousand rules would block the thread.
   * @param pause - see `runInSteps`
   */
  static async compile(
    rules: readonly PronunciationRule[],
    pause?: () => Promise<unknown>,
  ): Promise<Dictionary> {
    return new Dictionary(rules, await runInSteps(indexesOf(rules), pause));
  }

  get rules(): readonly PronunciationRule[] {
    return this.#rules;
  }

  /**
   * Replaces matches in one pass from left to right. At each position the longest match applies; if several
   * rules have the same length, the first rule. Replacements are not searched again.
   */
  apply(text: string): Replaced {
    const normal = toNfc(text);
    const matches = this.#find(normal.text);
    if (matches.length === 0) {
      return { text: AlignedText.of(text), pronounced: [], isWhole: true };
    }
    const edits: TextEdit[] = [];
    const pronounced: Pronounced[] = [];
    let growth = 0;
    for (const { start, end, rule } of matches) {
      // A transcription needs a part of the text that it replaces.
      const said = rule.ipa && rule.replacement.trim() === '' ? rule.word : rule.replacement;
      growth += said.length - (end - start);
      if (growth > MAX_GROWTH) break;
      edits.push({ text: said, start, end });
      if (rule.ipa) pronounced.push({ ...normal.origin(start, end), ipa: rule.ipa });
    }
    return { text: normal.replace(edits), pronounced, isWhole: edits.length === matches.length };
  }

  #find(text: string): Match[] {
    const scan = scanned(text);
    const matches: Match[] = [];
    const last = scan.starts.length - 1;
    for (let token = 0; token < last; ) {
      const found = isInsideWord(scan, token) ? undefined : this.#longestAt(scan, token);
      if (!found) {
        token++;
        continue;
      }
      const start = scan.starts[token]!;
      const end = scan.starts[found.token]!;
      matches.push({ start, end, rule: this.#rules[found.order]! });
      token = found.token;
    }
    return matches;
  }

  #longestAt(scan: ScannedText, token: number): TokenMatch | undefined {
    const exact = longestIn(this.#exact, scan, scan.exact, token);
    const folded = longestIn(this.#folded, scan, scan.folded, token);
    if (!exact || !folded) return exact ?? folded;
    if (exact.token !== folded.token) return exact.token > folded.token ? exact : folded;
    return exact.order < folded.order ? exact : folded;
  }
}

interface RuleIndexes {
  readonly exact: RuleIndex;
  readonly folded: RuleIndex;
}

function* indexesOf(rules: readonly PronunciationRule[]): SteppedTask<RuleIndexes> {
  const keys: Record<'exact' | 'folded', RuleKey[]> = { exact: [], folded: [] };
  for (const [order, { word, caseSensitive }] of rules.entries()) {
    const key = keyOf(word, caseSensitive);
    keys[caseSensitive ? 'exact' : 'folded'].push({ key, order });
    if (order % RULES_AT_ONCE === RULES_AT_ONCE - 1) yield;
  }
  return { exact: yield* ruleIndex(keys.exact), folded: yield* ruleIndex(keys.folded) };
}

/** The index of the token after a match, and the order of the rule that matched. */
interface TokenMatch {
  readonly token: number;
  readonly order: number;
}

function longestIn(
  index: RuleIndex,
  scan: ScannedText,
  view: View,
  token: number,
): TokenMatch | undefined {
  const isEnd = (unit: number) => {
    const next = view.tokens[unit]!;
    return next >= 0 && !isInsideWord(scan, next);
  };
  const found = index.longestAt(view.text, view.units[token]!, isEnd);
  return found && { token: view.tokens[found.end]!, order: found.order };
}

/** A match can start or end anywhere except between two letters, marks or digits. */
function isInsideWord({ isWord }: ScannedText, token: number): boolean {
  return token > 0 && token < isWord.length && isWord[token - 1]! && isWord[token]!;
}

/**
 * Maps parts of an original text to the rewritten text. Parts that it no longer contains are omitted.
 * @param pronounced - in order, in the original text
 */
export function placedIn(
  text: AlignedText,
  pronounced: readonly Pronounced[],
): readonly Pronounced[] {
  let from = 0;
  return pronounced.flatMap(({ ipa, ...range }) => {
    const place = text.placeOf(range, from);
    if (!place) return [];
    from = place.textEnd;
    return { ...place, ipa };
  });
}

/** Returns the parts that are completely in `start`…`end` (UTF-16 indexes), with positions relative to `start`. */
export function pronouncedWithin(
  pronounced: readonly Pronounced[] | undefined,
  start: number,
  end: number,
): readonly Pronounced[] {
  if (!pronounced) return [];
  return pronounced
    .filter(({ textStart, textEnd }) => textStart >= start && textEnd <= end)
    .map(({ textStart, textEnd, ipa }) => ({
      textStart: textStart - start,
      textEnd: textEnd - start,
      ipa,
    }));
}
