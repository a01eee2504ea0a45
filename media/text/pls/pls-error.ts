/** Why a pronunciation lexicon cannot be read, and where; told to whoever sent it. */
export class PlsError extends Error {
  override readonly name = 'PlsFault';
  /** Both count from 1, the column in characters. */
  readonly line: number;
  readonly column: number;

  constructor(sentence: string, line: number, column: number) {
    super(sentence);
    this.line = line;
    this.column = column;
  }
}
