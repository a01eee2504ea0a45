/** PostgreSQL's rules for the words of a language: endings, and words that tell nothing. */
const CONFIGS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  hu: 'hungarian',
  it: 'italian',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  tr: 'turkish',
};

/** The full-text configuration of a language; of others, such as Polish, words stay as they are. */
export function searchConfig(language: string): string {
  return `pg_catalog.${CONFIGS[language] ?? 'simple'}`;
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Longer than any passage. */
const MAX_TEXT_LENGTH = 20_000;

/** A text as PostgreSQL can find words in it: with spaces between them in any script. */
export function searchText(text: string, language: string): string {
  const bounded = text.slice(0, MAX_TEXT_LENGTH);
  if (!WITHOUT_SPACES.test(bounded)) return bounded;
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return [...segmenter.segment(bounded)].map(({ segment }) => segment).join(' ');
}

/** Stands in the words of each passage, so that the one index tells a knowledge base's own. */
export function knowledgeBaseWord(kbId: number): string {
  return ` kb ${kbId}`; // no text gives a word with blanks
}
