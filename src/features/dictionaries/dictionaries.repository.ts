import type { Knex } from 'knex';
import { runInSteps } from '../../../media/async/cooperative.js';
import { parseJsonInSteps, stringifyInSteps } from '../../../media/async/incremental-json.js';
import type { Language } from '../../../media/languages.js';
import type { PronunciationRule } from '../../../media/text/dictionary/pronunciation-rule.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';

/** A dictionary without its rules. */
export interface DictionarySummary {
  readonly id: string;
  readonly name: string;
  readonly language: Language;
  readonly currentVersion: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface DictionaryVersion {
  readonly version: number;
  readonly createdAt: Date;
}

export interface DictionaryDetail extends DictionarySummary {
  /** Of the current version. */
  readonly rules: readonly PronunciationRule[];
  /** The newest first. */
  readonly versions: readonly DictionaryVersion[];
}

export interface NewDictionary {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly language: Language;
  readonly rules: readonly PronunciationRule[];
}

interface DictionaryRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly language: Language;
  readonly current_version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface VersionRow {
  readonly dictionary_id: string;
  readonly version: number;
  readonly rules: readonly PronunciationRule[];
  readonly created_at: Date;
}

const MAX_INT4 = 2_147_483_647;

/** Stores dictionaries and their versions. */
export class DictionariesRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(dictionary: NewDictionary): Promise<DictionaryDetail> {
    const { id, accountId, name, language, rules } = dictionary;
    return this.#db.transaction(async (transaction) => {
      const [row] = await transaction<DictionaryRow>('dictionaries')
        .insert({ id, account_id: accountId, name, language, current_version: 1 })
        .returning('*');
      await addVersion(transaction, id, 1, rules);
      return toDetail(transaction, row!, rules);
    });
  }

  /** The newest first, ties by id. */
  async list(accountId: string, limit: number): Promise<DictionarySummary[]> {
    const rows = await this.#db<DictionaryRow>('dictionaries')
      .where({ account_id: accountId })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit);
    return rows.map(toSummary);
  }

  async findSummary(accountId: string, id: string): Promise<DictionarySummary | undefined> {
    if (!isUuid(id)) return undefined;
    const row = await this.#db<DictionaryRow>('dictionaries')
      .where({ account_id: accountId, id })
      .first();
    return row && toSummary(row);
  }

  /** Reads a dictionary, its rules and its versions in one snapshot. */
  async find(accountId: string, id: string): Promise<DictionaryDetail | undefined> {
    if (!isUuid(id)) return undefined;
    return this.#db.transaction(
      async (transaction) => {
        const row = await transaction<DictionaryRow>('dictionaries')
          .where({ account_id: accountId, id })
          .first();
        return row && toDetail(transaction, row);
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    );
  }

  /** The rules of a version of a dictionary that `findSummary` returned. */
  async findRules(id: string, version: number): Promise<readonly PronunciationRule[] | undefined> {
    if (version < 1 || version > MAX_INT4) return undefined;
    return readRules(this.#db, id, version);
  }

  async rename(accountId: string, id: string, name: string): Promise<DictionaryDetail | undefined> {
    return this.#change(accountId, id, async () => ({ name }));
  }

  /**
   * Adds a version with the rules that `decide` derives from the current ones. If `decide` throws,
   * nothing changes. Changes of one dictionary are serialised.
   */
  async changeRules(
    accountId: string,
    id: string,
    decide: (rules: readonly PronunciationRule[]) => readonly PronunciationRule[],
  ): Promise<DictionaryDetail | undefined> {
    return this.#change(accountId, id, async (transaction, row) => {
      const next = row.current_version + 1;
      const rules = decide(await rulesOf(transaction, row));
      await addVersion(transaction, row.id, next, rules);
      return { current_version: next };
    });
  }

  /** @param alongside - runs in the transaction of the deletion */
  async delete(
    accountId: string,
    id: string,
    alongside: (transaction: Knex.Transaction) => Promise<void>,
  ): Promise<boolean> {
    if (!isUuid(id)) return false;
    return this.#db.transaction(async (transaction) => {
      const count = await transaction<DictionaryRow>('dictionaries')
        .where({ account_id: accountId, id })
        .delete();
      if (count > 0) await alongside(transaction);
      return count > 0;
    });
  }

  async #change(
    accountId: string,
    id: string,
    decide: (
      transaction: Knex.Transaction,
      row: DictionaryRow,
    ) => Promise<Partial<Pick<DictionaryRow, 'name' | 'current_version'>>>,
  ): Promise<DictionaryDetail | undefined> {
    if (!isUuid(id)) return undefined;
    return this.#db.transaction(async (transaction) => {
      const own = () =>
        transaction<DictionaryRow>('dictionaries').where({ account_id: accountId, id });
      const before = await own().forUpdate().first();
      if (!before) return undefined;
      const columns = await decide(transaction, before);
      const [after] = await own()
        .update({ ...columns, updated_at: transaction.fn.now(3) })
        .returning('*');
      return toDetail(transaction, after!);
    });
  }
}

async function addVersion(
  transaction: Knex.Transaction,
  id: string,
  version: number,
  rules: readonly PronunciationRule[],
): Promise<void> {
  await transaction('dictionary_versions').insert({
    dictionary_id: id,
    version,
    rules: await runInSteps(stringifyInSteps(rules)),
  });
}

async function rulesOf(
  transaction: Knex.Transaction,
  { id, current_version: version }: DictionaryRow,
): Promise<readonly PronunciationRule[]> {
  return (await readRules(transaction, id, version))!;
}

/** Reads JSON text, as the database client would parse 10,000 rules in one step. */
async function readRules(
  db: Knex,
  id: string,
  version: number,
): Promise<readonly PronunciationRule[] | undefined> {
  const row = await db<VersionRow>('dictionary_versions')
    .where({ dictionary_id: id, version })
    .first<{ json: string } | undefined>(db.raw('rules::text as json'));
  return row && ((await runInSteps(parseJsonInSteps(row.json))) as readonly PronunciationRule[]);
}

async function toDetail(
  transaction: Knex.Transaction,
  row: DictionaryRow,
  rules?: readonly PronunciationRule[],
): Promise<DictionaryDetail> {
  const versions = await transaction<VersionRow>('dictionary_versions')
    .where({ dictionary_id: row.id })
    .orderBy('version', 'desc')
    .select('version', 'created_at');
  return {
    ...toSummary(row),
    rules: rules ?? (await rulesOf(transaction, row)),
    versions: versions.map(({ version, created_at: createdAt }) => ({ version, createdAt })),
  };
}

function toSummary(row: DictionaryRow): DictionarySummary {
  return {
    id: row.id,
    name: row.name,
    language: row.language,
    currentVersion: row.current_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
