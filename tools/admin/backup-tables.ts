import type { Knex } from 'knex';
import { AdminError } from './admin-error.js';

/** A table in a backup. */
export interface CopiedTable {
  readonly name: string;
  /** Without generated columns, which cannot be written. */
  readonly columns: readonly string[];
}

/** Not in backups: transient state, and tables that triggers or jobs derive from other tables. */
const EXCLUDED_TABLES = [
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

/** The tables to copy, each after the tables that it references. */
export async function copiedTables(db: Knex): Promise<readonly CopiedTable[]> {
  const { rows: columns } = await db.raw<{ rows: ColumnRow[] }>(
    `select table_name, column_name from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_schema = current_schema() and table_type = 'BASE TABLE'
       and is_generated = 'NEVER' and table_name <> all(?)
     order by table_name, ordinal_position`,
    [EXCLUDED_TABLES],
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

/** Sorts topologically: repeatedly takes the tables whose parents are taken. */
function inOrder(names: readonly string[], references: readonly ReferenceRow[]): string[] {
  const ordered: string[] = [];
  while (ordered.length < names.length) {
    const ready = names.filter(
      (name) =>
        !ordered.includes(name) &&
        references.every(({ from, to }) => from !== name || ordered.includes(to)),
    );
    if (ready.length === 0)
      throw new AdminError('The tables of the database reference each other in a cycle.');
    ordered.push(...ready);
  }
  return ordered;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** `"table" ("column", …)`, the target of COPY. */
export function copyTarget({ name, columns }: CopiedTable): string {
  return `${quote(name)} (${columns.map(quote).join(', ')})`;
}

/** Sets the sequences of identity columns after the copied values. */
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
