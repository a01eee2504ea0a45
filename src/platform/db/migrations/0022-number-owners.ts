import type { Migration } from './migration.js';

/**
 * Every number that may be used has an owner in `phone_numbers`, also one that was not ordered from
 * a carrier here. The number of each deployed agent is assigned to the agent's account. Where
 * another account holds it, the holder keeps it and the agent is logged.
 */
export const numberOwners: Migration = {
  name: '0022-number-owners',
  async up(transaction, log) {
    await transaction.raw(`
    alter table phone_numbers
      -- null: not ordered from a carrier here
      alter column provider drop not null,
      -- by the operator, or by a deployment in an installation with one account
      add column is_assigned boolean not null default false,
      add constraint phone_numbers_source check (provider is not null or is_assigned);

    insert into phone_numbers (phone_number, account_id, provider, is_assigned)
      select phone_number, account_id, null, true from agents
      where status = 'deployed' and phone_number ~ '^\\+[1-9][0-9]{1,14}$'
      on conflict (phone_number) do update set is_assigned = true
        where phone_numbers.account_id = excluded.account_id and not phone_numbers.is_ordered;

    -- Across accounts the owner decides. An agent that was deployed with another account's number
    -- must not keep the owner from deploying its own.
    drop index agents_deployed_number;
    create unique index agents_deployed_number on agents (phone_number, account_id)
      where status = 'deployed';
  `);
    const conflicts: { agent: string; account: string; owner: string }[] = await transaction(
      'agents',
    )
      .join('phone_numbers', 'phone_numbers.phone_number', 'agents.phone_number')
      .where('agents.status', 'deployed')
      .whereRaw('phone_numbers.account_id <> agents.account_id')
      .select({
        agent: 'agents.id',
        account: 'agents.account_id',
        owner: 'phone_numbers.account_id',
      });
    for (const conflict of conflicts) {
      log?.warn(
        conflict,
        'a deployed agent has a phone number that another account owns: it takes no telephone calls until it has another number',
      );
    }
  },
};
