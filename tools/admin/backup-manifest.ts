import { z } from 'zod';
import { findUnknownMigration } from '../../src/platform/db/migrate.js';
import { AdminError } from './admin-error.js';

export const MANIFEST_FILE = 'backup.json';
export const SECRET_FILE = 'secret-key';
export const FORMAT = 1;

/** `tables/NAME.copy`: the rows in PostgreSQL's text form of COPY. */
export const tableFile = (name: string) => `tables/${name}.copy`;

const name = z.string().regex(/^[a-z_0-9-]{1,63}$/);

/** Written last, so a backup without it is incomplete. */
const Manifest = z.object({
  format: z.literal(FORMAT),
  made_at: z.string(),
  migrations: z.array(name).min(1),
  tables: z.array(z.object({ name, columns: z.array(name).min(1) })),
  /** Ids of the keys that its secrets are encrypted with. */
  seal_key_ids: z.array(z.string()),
});

export type Manifest = z.output<typeof Manifest>;

/** @throws AdminError if this version cannot read it */
export function readManifest(text: string): Manifest {
  const result = Manifest.safeParse(jsonOf(text));
  if (!result.success)
    throw new AdminError(
      'This version cannot read the backup: the file is not a backup, or it is damaged.',
    );
  const unknown = findUnknownMigration(result.data.migrations);
  if (!unknown) return result.data;
  const version = unknown.isNewer
    ? 'newer version'
    : 'development version before the first release';
  throw new AdminError(
    `The backup was made by a ${version} (its schema has ${unknown.name}): restore it with that version.`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Reported like other invalid content.
  }
}
