import type { ThreadQueue } from '../../runtime/cpu-scheduler.js';
import type { AlignedText } from '../../text/aligned-text.js';
import type { PhonemeClause, PhonemizeOptions, Phonemizer } from '../phonemizer.js';
import type { EspeakProcess } from './espeak-process.js';
import { espeakTextOf } from './espeak-text.js';

/** Punctuation at a clause's end, with closing quotes and brackets. */
const CLAUSE_END = /[,;:.?!…—–]+["'”’»)]*(?=\s|$)/g;
const WORD = /\S*[\p{L}\p{N}%&+=€$£@#°§]\S*/gu;
const EDGE_MARKS = /^["'“„«¿¡(]+|["'”’»),;:.?!…]+$/g;
/** A period after one or two letters ends an abbreviation, not a clause. */
const ABBREVIATED = /(?:^|[\s.])\p{L}{1,2}\.$/u;

interface CutClause {
  readonly text: string;
  /** UTF-16 index in the normalised text. */
  readonly start: number;
  readonly mark: string;
}

/** Converts text to phonemes with eSpeak NG. Many neural voices were trained on its phonemes. */
export class EspeakPhonemizer implements Phonemizer {
  readonly #process: EspeakProcess;
  readonly #queue: ThreadQueue;

  constructor(process: EspeakProcess, queue: ThreadQueue) {
    this.#process = process;
    this.#queue = queue;
  }

  async phonemize(
    text: string,
    { voice, language }: { readonly voice: string; readonly language: string },
    { signal, ...urgency }: PhonemizeOptions,
  ): Promise<readonly PhonemeClause[]> {
    const normalised = espeakTextOf(text, language);
    const clauses = clausesOf(normalised.text).filter((clause) => clause.text.search(WORD) >= 0);
    if (clauses.length === 0) return [];
    const texts = clauses.map((clause) => wordsOf(clause.text).map(([word]) => word));
    const lines = await this.#queue.use(
      urgency,
      () => this.#process.phonemes(voice, texts),
      signal,
    );
    return clauses.map((clause, i) => toClause(clause, lines[i] ?? [], normalised));
  }
}

function clausesOf(normalised: string): CutClause[] {
  const clauses: CutClause[] = [];
  let start = 0;
  for (const { 0: marks, index } of normalised.matchAll(CLAUSE_END)) {
    const end = index + marks.length;
    const text = normalised.slice(start, end);
    if (ABBREVIATED.test(text)) continue;
    clauses.push({ text, start, mark: markOf(marks) });
    start = end;
  }
  const text = normalised.slice(start);
  const [marks = ''] = text.match(CLAUSE_END) ?? [];
  return [...clauses, { text, start, mark: markOf(marks) }];
}

function markOf(marks: string): string {
  const mark = /[?!]/.exec(marks)?.[0] ?? marks[0] ?? '';
  return mark === '…' ? '.' : mark.replace(/[—–]/, ';');
}

/** Returns the words of a clause without surrounding punctuation, and their indexes. */
function wordsOf(clause: string): [string, number][] {
  return [...clause.matchAll(WORD)].map(({ 0: found, index }) => {
    const word = found.replace(EDGE_MARKS, '');
    return word === '' ? [found, index] : [word, index + found.indexOf(word)];
  });
}

/** @param lines - the clause's phonemes, then those of each word if the groups do not match the words */
function toClause(
  { text, start, mark }: CutClause,
  lines: readonly string[],
  normalised: AlignedText,
): PhonemeClause {
  const words = wordsOf(text).map(([word, at]) =>
    normalised.origin(start + at, start + at + word.length),
  );
  const [phonemes = '', ...alone] = lines.map(cleaned);
  return { phonemes, words, alone, mark };
}

/** Removes the engine's marks: `_` between phonemes, `|` between clauses, `(fr)` for a language. */
function cleaned(line: string): string {
  return line
    .replace(/\([a-z-]+\)/g, '')
    .replace(/[_|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
