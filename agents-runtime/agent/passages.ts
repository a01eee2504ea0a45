/** The longest passage, characters: about 300 tokens. */
const LONGEST = 1_200;
const segmenters = new Map<string, Intl.Segmenter>();

/**
 * Cuts a text into passages that each tell one thing: paragraphs, list items and headed sections;
 * long ones at sentence ends. Markup that is not spoken is taken out.
 */
export function splitPassages(text: string, language = 'en'): string[] {
  const passages: string[] = [];
  for (const block of text.replace(/\r\n?/g, '\n').split(/\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)/)) {
    const plain = plainText(block);
    if (plain.length <= LONGEST) {
      if (/\p{L}/u.test(plain)) passages.push(plain);
      continue;
    }
    let passage = '';
    for (const sentence of splitSentences(plain, language)) {
      if (passage && passage.length + sentence.length > LONGEST) {
        passages.push(passage);
        passage = '';
      }
      passage = passage ? `${passage} ${sentence}` : sentence.slice(0, LONGEST);
    }
    if (passage) passages.push(passage);
  }
  return passages;
}

/** The sentences of a plain text. An abbreviation before a name does not end one. */
export function splitSentences(text: string, language = 'en'): string[] {
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
    segmenters.set(language, segmenter);
  }
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const sentence = segment.trim();
    const before = sentences.at(-1);
    if (before && /\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|approx|e\.g|i\.e)\.$/.test(before)) {
      sentences[sentences.length - 1] = `${before} ${sentence}`;
    } else if (sentence) {
      sentences.push(sentence);
    }
  }
  return sentences;
}

/** Without list marks, heading marks, emphasis, code marks and link targets, on one line. */
function plainText(block: string): string {
  return block
    .replace(/^\s*(?:#{1,6}|[-*•]|\d+[.)])\s+/gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|`)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
