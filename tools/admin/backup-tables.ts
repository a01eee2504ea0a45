import type { Knex } from 'knex';
import { AdminError } from './admin-error.js';

/** A table as a backup holds it. */
export interface CopiedTable {
  readonly name: string;
  /** Those that can be written: no generated ones. */
  readonly columns: readonly string[];
}

/**
 * Left out of backups: what says who runs now, who asked how often, answers kept for a day for
 * repeated requests, and sums that the database makes by itself of the rows that come back.
 */
const PASSING = [
  'schema_migrations',
  'audiosocket_calls',
  'call_day_sums',
  'call_quarter_sums',
  'gateways',
  'idempotent_answers',
  'rate_limits',
  'passage_vectors',
];

interface ColumnRow {
  readonly table_name: string;
  readonly column_name: string;
}

interface ReferenceRow {
  readonly from: string;
  readonly to: string;
}

/** The tables to copy, each after those that it refers to. */
export async function copiedTables(db: Knex): Promise<readonly CopiedTable[]> {
  const { rows: columns } = await db.raw<{ rows: ColumnRow[] }>(
    `select table_name, column_name from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_schema = current_schema() and table_type = 'BASE TABLE'
       and is_generated = 'NEVER' and table_name <> all(?)
     order by table_name, ordinal_position`,
    [PASSING],
  );
  const { rows: references } = await db.raw<{ rows: ReferenceRow[] }>(
    `select child.relname as from, parent.relname as to
     from pg_constraint
     join pg_class child on child.oid = conrelid
     join pg_class parent on parent.oid = confrelid
     where contype = 'f' and child.relnamespace = current_schema()::regnamespace
       and child.oid <> parent.oid`,
  );
  const names = [...new Set(columns.map(({ table_name }) => table_name))];
  return inOrder(names, references).map((name) => ({
    name,
    columns: columns.filter((row) => row.table_name === name).map((row) => row.column_name),
  }));
}

/** Repeatedly takes those whose parents were taken. */
function inOrder(names: readonly string[], references: readonly ReferenceRow[]): string[] {
  const ordered: string[] = [];
  while (ordered.length < names.length) {
    const ready = names.filter(
      (name) =>
        !ordered.includes(name) &&
        references.every(({ from, to }) => from !== name || ordered.includes(to)),
    );
    if (ready.length === 0) throw new AdminError('The tables of the database refer in a circle.');
    ordered.push(...ready);
  }
  return ordered;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** `"table" ("column", …)`, as COPY wants it. */
export function copyTarget({ name, columns }: CopiedTable): string {
  return `${quote(name)} (${columns.map(quote).join(', ')})`;
}

/** Numbers that count up go on after those that were copied. */
export async function advanceCounters(db: Knex, tables: readonly CopiedTable[]): Promise<void> {
  for (const { name, columns } of tables) {
    for (const column of columns) {
      const { rows } = await db.raw<{ rows: { counter: string | null }[] }>(
        'select pg_get_serial_sequence(?, ?) as counter',
        [quote(name), column],
      );
      const counter = rows[0]?.counter;
      if (!counter) continue;
      await db.raw('select setval(?, coalesce(max(??), 0) + 1, false) from ??', [
        counter,
        column,
        name,
      ]);
    }
  }
}
