/**
 * A part of this benchmark. It prints nothing and returns its figures and whether they meet the
 * targets.
 */
export type RecordsSection = (options: RecordsOptions) => Promise<RecordsFigures>;

export interface RecordsOptions {
  /** Reports progress, because a part takes minutes. */
  readonly reportProgress: (text: string) => void;
  /** Rows of the history. Default: a million. */
  readonly calls: number;
}

export interface RecordsFigures {
  readonly isMet: boolean;
  /** Text output. */
  readonly lines: readonly string[];
  /** Output of `--json`. */
  readonly figures: object;
}
