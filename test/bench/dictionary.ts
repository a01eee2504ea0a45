import { Dictionary } from '../../media/tts/dictionary/dictionary.js';
import type { PronunciationRule } from '../../media/tts/dictionary/pronunciation-rule.js';
import { percentilesOf } from './percentiles.js';

const RULES = 10_000;
const TEXT_LENGTH = 1_000;
const ROUNDS = 400;
/** The contract's bound, ms. */
const MOST_MS = 1;

/** `dictionary [--json]`: what 10,000 rules cost a text of 1,000 characters. */
export async function run(args: readonly string[]): Promise<number> {
  const rules = manyRules();
  const startedAt = performance.now();
  const dictionary = new Dictionary(rules);
  const compileMs = performance.now() - startedAt;
  const text = textWith(rules);
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    dictionary.apply(text);
    return performance.now() - start;
  }).slice(ROUNDS / 4);
  const { p50, p95 } = percentilesOf(times);
  const isQuick = p50 < MOST_MS;
  const result = {
    rules: RULES,
    characters: text.length,
    applyMs: { p50, p95 },
    compileMs,
    isQuick,
  };
  console.log(
    args.includes('--json')
      ? JSON.stringify(result)
      : `${RULES} rules on ${text.length} characters: ${p50.toFixed(3)} ms (p95 ${p95.toFixed(3)}), must be < ${MOST_MS}; compiled once in ${compileMs.toFixed(0)} ms`,
  );
  return isQuick ? 0 : 1;
}

/** Words and phrases, half of them in any case. */
function manyRules(): PronunciationRule[] {
  return Array.from({ length: RULES }, (_, i) => ({
    id: `${i}`,
    word: `${['order', 'Sir', 'number', 'new', 'Anna of'][i % 5]}${i % 3 === 0 ? ' ' : ''}${i.toString(36)}`,
    replacement: 'something else',
    ipa: i % 4 === 0 ? 'ˈsʌmθɪŋ' : null,
    caseSensitive: i % 2 === 0,
  }));
}

/** Every twelfth word is one of a rule. */
function textWith(rules: readonly PronunciationRule[]): string {
  let text = '';
  for (let i = 0; text.length < TEXT_LENGTH; i++) {
    text += i % 12 === 5 ? `${rules[(i * 677) % RULES]!.word} ` : ['order ', 'and ', 'new '][i % 3];
  }
  return text.slice(0, TEXT_LENGTH);
}
