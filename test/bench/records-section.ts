/** A part of this measurement: prints nothing, answers figures and whether they are good enough. */
export type RecordsSection = (options: RecordsOptions) => Promise<RecordsFigures>;

export interface RecordsOptions {
  /** Told what is being done, as it takes minutes. */
  readonly tell: (text: string) => void;
  /** Rows of the history; a million by default. */
  readonly calls: number;
}

export interface RecordsFigures {
  readonly isMet: boolean;
  /** For people. */
  readonly lines: readonly string[];
  /** For `--json`. */
  readonly figures: object;
}
