import type { SpokenForm } from '../../traced-text.js';

const TAGS =
  'a|b|i|u|s|p|br|hr|em|strong|code|pre|ul|ol|li|span|div|h[1-6]|sub|sup|img|table|tr|td|th|speak|break|prosody|emphasis|say-as';

/** Markdown and HTML leave only their words. */
export const MARKUP: readonly SpokenForm[] = [
  // ![alt](address) and [text](address)
  { pattern: /!?\[([^\][]{1,300})\]\([^()\s]{0,500}\)/g, say: ([, text = '']) => text },
  { pattern: /(`{1,3})([^`]{1,1000})\1/g, say: ([, , code = '']) => code },
  { pattern: new RegExp(`</?(?:${TAGS})(?:s[^<>]{0,200})?/?>`, 'gi'), say: () => ' ' },
  { pattern: /(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?![\w*])/g, say: () => '' },
  { pattern: /(?<!\w)_{1,3}(?=\w)|(?<=[\w.!?,])_{1,3}(?!\w)/g, say: () => '' },
  { pattern: /~~/g, say: () => '' },
  { pattern: /(?<=^|\n)\s{0,3}(?:#{1,6}|>+)\s+/g, say: () => '' },
];
