import type { Migration } from './migration.js';

export const dictionaries: Migration = {
  name: '0006-dictionaries',
  async up(transaction) {
    await transaction.raw(`
    create table dictionaries (
      id uuid primary key,
      account_id uuid not null references accounts on delete cascade,
      name text not null check (name <> ''),
      language text not null,
      current_version integer not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    -- order of lists: newest first, then by id
    create index dictionaries_of_account on dictionaries (account_id, created_at desc, id desc);
    comment on table dictionaries is 'Pronunciation dictionaries.';

    create table dictionary_versions (
      dictionary_id uuid not null references dictionaries on delete cascade,
      version integer not null check (version > 0),
      rules jsonb not null check (jsonb_typeof(rules) = 'array'),
      created_at timestamptz(3) not null default now(),
      primary key (dictionary_id, version)
    );
    create function refuse_new_rules() returns trigger language plpgsql as $$
      begin
        raise exception 'versions of dictionaries are never changed';
      end
    $$;
    create trigger dictionary_versions_stay before update on dictionary_versions
      for each row execute function refuse_new_rules();
    comment on table dictionary_versions is
      'Rules of dictionaries. Each change adds a version; versions are immutable.';
  `);
  },
};
