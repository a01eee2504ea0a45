/** Reason and position of an error in a pronunciation lexicon, for the sender of the file. */
export class PlsError extends Error {
  override readonly name = 'PlsError';
  /** Both count from 1, the column in characters. */
  readonly line: number;
  readonly column: number;

  constructor(sentence: string, line: number, column: number) {
    super(sentence);
    this.line = line;
    this.column = column;
  }
}
