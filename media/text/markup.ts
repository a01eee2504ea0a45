import type { SpokenForm } from './aligned-text.js';

const TAGS =
  'a|b|i|u|s|p|br|hr|em|strong|code|pre|ul|ol|li|span|div|h[1-6]|sub|sup|img|table|tr|td|th|speak|break|prosody|emphasis|say-as';

/** The end of a line without a punctuation mark. */
const UNMARKED = '(?<=[\\p{L}\\p{M}\\p{N})"”’*_`%])[ \\t]{0,3}';
const ITEM = '(?:[-*+•]|\\d{1,3}[.)])[ \\t]';

/** Rules that remove Markdown and HTML. Words remain; line ends become pauses. */
export const MARKUP: readonly SpokenForm[] = [
  // Horizontal rules, and the line below a table's head
  { pattern: /(?<=^|\n)[ \t]{0,3}[-=*_|][-=*_ \t:|]{2,200}(?=\n|$)/g, say: () => '' },
  // The outer bars of a table's row
  { pattern: /(?<=^|\n)[ \t]{0,3}\|[ \t]?/g, needs: '|', say: () => '' },
  { pattern: /[ \t]?\|[ \t]{0,3}(?=\n|$)/g, needs: '|', say: () => '' },
  {
    // The line end after a heading, and before a paragraph that is not a list
    pattern: new RegExp(
      `${UNMARKED}(?:(?<=(?:^|\\n)#{1,6} [^\\n]{0,200})\\n|\\n[ \\t]{0,3}\\n)(?!\\s{0,9}${ITEM})`,
      'gu',
    ),
    needs: '\n',
    say: () => '.\n',
  },
  {
    pattern: new RegExp(`${UNMARKED}\\n(?=\\s{0,9}${ITEM}|[^\\p{Ll}\\s])`, 'gu'),
    needs: '\n',
    say: () => ',\n',
  },
  // Bullets and headings
  {
    pattern: /(?<=^|\n)[ \t]{0,20}(?:[-*+•][ \t]+(?:\[[ x]\][ \t]+)?|#{1,6}[ \t]+|>+[ \t]*)/g,
    say: () => '',
  },
  { pattern: /[ \t]\|(?=[ \t])/g, needs: '|', say: () => ',' },
  // ![alt](address) and [text](address)
  {
    pattern: /!?\[([^\][]{1,300})\]\([^()\s]{0,500}\)/g,
    needs: '](',
    say: ([, text = '']) => text,
  },
  // <anna@example.com>, <https://example.com>
  {
    pattern: /<([^\s<>]{1,64}@[^\s<>]{3,190}|https?:[^\s<>]{3,500})>/g,
    needs: '<',
    say: ([, address]) => address,
  },
  { pattern: /(`{1,3})([^`]{1,1000})\1/g, needs: '`', say: ([, , code = '']) => code },
  {
    pattern: new RegExp(`</?(?:${TAGS})(?:\\s[^<>]{0,200})?/?>`, 'gi'),
    needs: '<',
    say: () => ' ',
  },
  { pattern: /(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?![\w*])/g, needs: '*', say: () => '' },
  { pattern: /(?<!\w)_{1,3}(?=\w)|(?<=[\w.!?,])_{1,3}(?!\w)/g, needs: '_', say: () => '' },
  { pattern: /~~/g, needs: '~~', say: () => '' },
];
