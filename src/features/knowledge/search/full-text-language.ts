/** PostgreSQL's text search configurations. */
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

/** The configuration of a language. `simple`, without stemming, for others such as Polish. */
export function searchConfig(language: string): string {
  return `pg_catalog.${CONFIGS[language] ?? 'simple'}`;
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Characters; longer than any passage. */
const MAX_TEXT_LENGTH = 20_000;

/** Separates words by spaces in scripts that have none. */
export function searchText(text: string, language: string): string {
  const bounded = text.slice(0, MAX_TEXT_LENGTH);
  if (!WITHOUT_SPACES.test(bounded)) return bounded;
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return [...segmenter.segment(bounded)].map(({ segment }) => segment).join(' ');
}

/** A word in each passage's search vector that selects its knowledge base. */
export function knowledgeBaseWord(kbId: number): string {
  return ` kb ${kbId}`; // No text contains a word with spaces.
}
