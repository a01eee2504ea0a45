import { createRequire } from 'node:module';

// Neither parser has usable TypeScript types.
const require = createRequire(import.meta.url);

/** A cue as parsed by a third-party reader. */
export interface ReadCue {
  /** Start in seconds. */
  readonly from: number;
  readonly to: number;
  readonly speaker?: string;
  readonly text: string;
}

interface VttNode {
  readonly type: 'object' | 'text';
  readonly name?: string;
  readonly value: string;
  readonly children?: readonly VttNode[];
}

interface VttParser {
  parse(text: string): {
    readonly cues: readonly {
      readonly startTime: number;
      readonly endTime: number;
      readonly tree: { readonly children: readonly VttNode[] };
    }[];
    readonly errors: readonly { readonly message: string; readonly line: number }[];
  };
}

/** Parses WebVTT with the W3C validator's parser; also returns its errors. */
export function readVtt(text: string) {
  const { WebVTTParser } = require('webvtt-parser');
  // Without this table the parser decodes only a few character references.
  const characters = require('webvtt-parser/html-entities.json');
  const { cues, errors } = (new WebVTTParser(characters) as VttParser).parse(text);
  return {
    errors: errors.map(({ message, line }) => `${line}: ${message}`),
    cues: cues.map(({ startTime, endTime, tree }): ReadCue => {
      const [voice] = tree.children;
      const isVoice = tree.children.length === 1 && voice?.name === 'v';
      return {
        from: startTime,
        to: endTime,
        ...(isVoice && { speaker: plain(voice.value) }),
        text: (isVoice ? voice.children! : tree.children).map(({ value }) => value).join(''),
      };
    }),
  };
}

/**
 * The parser decodes character references in texts, but not in voice names as the standard
 * requires.
 */
function plain(name: string): string {
  return name.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Parses SubRip with a third-party parser. */
export function readSrt(text: string): readonly ReadCue[] {
  const { default: Parser } = require('srt-parser-2');
  const cues: readonly { startSeconds: number; endSeconds: number; text: string }[] =
    new Parser().fromSrt(text);
  return cues.map((cue) => ({ from: cue.startSeconds, to: cue.endSeconds, text: cue.text }));
}
