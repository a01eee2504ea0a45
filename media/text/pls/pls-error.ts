import { MediaError } from '../../errors.js';

/** An error in a pronunciation lexicon, with its position. The message is for the sender of the file. */
export class PlsError extends MediaError {
  override readonly name = 'PlsError';
  /** Line and column start at 1. The column counts characters. */
  readonly line: number;
  readonly column: number;

  constructor(sentence: string, line: number, column: number) {
    super('INVALID_INPUT', sentence);
    this.line = line;
    this.column = column;
  }
}
