const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' });
    segmenters.set(language, segmenter);
  }
  return segmenter;
}

/**
 * Returns the words of a text in lower case, without punctuation and with straight apostrophes.
 * @param language - ISO 639-1
 */
export function wordsOf(text: string, language: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenterOf(language).segment(text)) {
    // Recognisers and LLMs write both kinds of apostrophe.
    if (isWordLike) words.push(segment.toLocaleLowerCase(language).replaceAll('’', "'"));
  }
  return words;
}
