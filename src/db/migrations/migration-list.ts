import type { Migration } from './migration.js';

/**
 * Every migration, oldest first. A released one is never edited, renamed or taken out: the next
 * change of the schema is a new file at the end.
 */
export const MIGRATIONS: readonly Migration[] = [];
