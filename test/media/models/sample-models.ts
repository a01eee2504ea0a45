import { createHash } from 'node:crypto';
import type { Model, ModelSource } from '../../../media/models/model.js';

/** A model of the given files, all from `sources`, with correct hashes. */
export function sampleModel(
  id: string,
  files: Readonly<Record<string, Buffer>>,
  sources: readonly ModelSource[],
): Model {
  return {
    id,
    engine: 'none',
    use: 'a test',
    languages: ['en'],
    isDefault: false,
    licence: { name: 'MIT', text: 'MIT', copyright: 'Copyright (c) 2020 Somebody' },
    files: Object.entries(files).map(([name, content]) => ({
      name,
      bytes: content.length,
      sha256: hashOf(content),
    })),
    sources,
  };
}

export function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
