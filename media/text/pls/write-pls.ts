import type { PronunciationRule } from '../dictionary/pronunciation-rule.js';
import { OWN, PLS } from './lexeme-reader.js';
import type { PronunciationLexicon } from './read-pls.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Without escapes, XML parsers normalise these to spaces or line ends.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Whether XML allows all characters of the text. Source: XML 1.0, production 2. */
export function isXmlText(text: string): boolean {
  return !/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text);
}

/**
 * Writes a dictionary as a PLS 1.0 lexicon with one lexeme per rule. Words, transcriptions and aliases are PLS
 * elements. Other fields are attributes in the namespace `OWN`, which other PLS readers ignore.
 * @param lexicon - its texts must be valid in XML; see `isXmlText`
 */
export function writePls({ language, rules }: PronunciationLexicon): string {
  const lexemes = rules.map(lexeme).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="${PLS}" xmlns:parley="${OWN}" alphabet="ipa" xml:lang="${language}">
${lexemes}</lexicon>
`;
}

/** Writes a lexeme in one line, to save space. The transcription precedes the alias, so that readers prefer it. */
function lexeme({ id, word, replacement, ipa, caseSensitive }: PronunciationRule): string {
  const anyCase = caseSensitive ? '' : ' parley:case-sensitive="false"';
  const grapheme = `<grapheme>${escaped(word)}</grapheme>`;
  const phoneme = ipa === null ? '' : `<phoneme>${escaped(ipa)}</phoneme>`;
  const needsAlias = ipa === null || replacement !== word;
  const alias = needsAlias ? `<alias>${escaped(replacement)}</alias>` : '';
  return `<lexeme parley:id="${escaped(id)}"${anyCase}>${grapheme}${phoneme}${alias}</lexeme>\n`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character]!);
}
