import { MediaError } from '../../errors.js';

/** Reason and position of an error in a pronunciation lexicon, for the sender of the file. */
export class PlsError extends MediaError {
  override readonly name = 'PlsError';
  /** Both count from 1, the column in characters. */
  readonly line: number;
  readonly column: number;

  constructor(sentence: string, line: number, column: number) {
    super('INVALID_INPUT', sentence);
    this.line = line;
    this.column = column;
  }
}
