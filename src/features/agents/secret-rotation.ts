import type { Knex } from 'knex';
import { isSealed, type SecretBox } from '../../platform/secrets/secret-box.js';
import { AGENT_SETTINGS } from './config/agent-settings.js';
import type { Setting } from './config/settings-table.js';

/** The settings with secrets. In other settings, a text of this form is not a secret. */
const SECRET_SETTINGS = Object.entries<Setting>(AGENT_SETTINGS).flatMap(([name, { seal }]) =>
  seal ? [name] : [],
);
const SECRETS_IN_SQL = `concat(${SECRET_SETTINGS.map((name) => `config ->> '${name}'`).join(', ')})`;
/** A JSON string that SecretBox may have written, with the id of its key. */
const SEALED_IN_SQL = '"sealed:1:([0-9a-f]{8}):';
const BATCH = 100;

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

interface SealedAgent {
  readonly id: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The ids of all keys with which stored secrets are sealed. */
export async function findSealKeyIds(db: Knex): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select distinct found[1] as id from agents, regexp_matches(${SECRETS_IN_SQL}, ?, 'g') found order by 1`,
    [SEALED_IN_SQL],
  );
  return rows.map(({ id }) => id);
}

/**
 * Encrypts every stored secret with the current key, one agent per transaction.
 * @returns the number of changed agents
 * @throws SealError if the key of a secret is missing
 */
export function resealConfigs(db: Knex, box: SecretBox): Promise<number> {
  return changeConfigs(db, (sealed, agentId) =>
    box.isOutdated(sealed) ? box.seal(box.open(sealed, agentId), agentId) : sealed,
  );
}

/** Removes every stored secret, for secrets whose key is lost. */
export function forgetSecrets(db: Knex): Promise<number> {
  return changeConfigs(db, () => null);
}

type ChangeSealed = (sealed: string, agentId: string) => string | null;

async function changeConfigs(db: Knex, change: ChangeSealed): Promise<number> {
  let changed = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const ids = await db('agents')
      .where('id', '>', after)
      .whereRaw(`${SECRETS_IN_SQL} ~ ?`, [SEALED_IN_SQL])
      .orderBy('id')
      .limit(BATCH)
      .pluck<string[]>('id');
    for (const id of ids) changed += (await changeConfig(db, id, change)) ? 1 : 0;
    const last = ids.at(-1);
    if (last === undefined) return changed;
    after = last;
  }
}

/** Does not change the agent's version, because responses stay the same. */
function changeConfig(db: Knex, id: string, change: ChangeSealed): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const agent = await transaction<SealedAgent>('agents').where({ id }).forUpdate().first();
    if (!agent) return false;
    const config: Record<string, unknown> = { ...agent.config };
    for (const part of SECRET_SETTINGS) {
      if (!config[part]) continue;
      const json: Json = JSON.parse(JSON.stringify(config[part]));
      config[part] = mapSealed(json, (sealed) => change(sealed, id));
    }
    if (JSON.stringify(config) === JSON.stringify(agent.config)) return false;
    await transaction('agents').where({ id }).update({ config });
    return true;
  });
}

function mapSealed(json: Json, change: (sealed: string) => string | null): Json {
  if (typeof json === 'string') return isSealed(json) ? change(json) : json;
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return json.map((item) => mapSealed(item, change));
  const members = Object.entries(json).map(([name, value]) => [name, mapSealed(value, change)]);
  return Object.fromEntries(members);
}
