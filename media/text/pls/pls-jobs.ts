import type { PlsLimits } from './lexeme-reader.js';
import type { PronunciationLexicon } from './read-pls.js';

export interface PlsFile {
  readonly bytes: Uint8Array;
  readonly limits: PlsLimits;
  /** ISO 639-1: those that the lexicon may be in. */
  readonly languages: readonly string[];
}

/** A lexicon, or why and where it cannot be read. */
export type PlsOutcome =
  | { readonly type: 'lexicon'; readonly lexicon: PronunciationLexicon }
  | {
      readonly type: 'fault';
      readonly sentence: string;
      readonly line: number;
      readonly column: number;
    };

/** The same on its way between threads, where text costs the receiver nothing. */
export type PlsReply =
  | { readonly type: 'lexicon'; readonly language: string; readonly rulesJson: string }
  | Exclude<PlsOutcome, { readonly type: 'lexicon' }>;

/** What the thread for lexicons does. */
export type PlsJobs = {
  /** Begins a file under a number of the client's choice, and reads a part; null: there is more. */
  readonly begin: {
    readonly input: PlsFile & { readonly id: number };
    readonly output: PlsReply | null;
  };
  /** Reads on; the file is forgotten with its outcome. */
  readonly next: { readonly input: { readonly id: number }; readonly output: PlsReply | null };
  readonly write: {
    readonly input: { readonly language: string; readonly rulesJson: string };
    readonly output: string;
  };
};
