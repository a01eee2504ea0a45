import type { Migration } from './migration.js';

export const voices: Migration = {
  name: '0005-voices',
  async up(transaction) {
    await transaction.raw(`
    create table voices (
      voice_id uuid primary key,
      account_id uuid not null references accounts on delete cascade,
      name text not null check (name <> ''),
      visibility text not null check (visibility in ('PUBLIC', 'PRIVATE')),
      language text not null,
      status text not null check (status in ('PENDING', 'PROCESSING', 'AVAILABLE', 'FAILED')),
      failure_reason text,
      -- Hz; null: no model yet
      sample_rate integer,
      created_at timestamptz(3) not null default now(),
      check ((status = 'FAILED') = (failure_reason is not null))
    );
    -- order of lists: newest first, then by id
    create index voices_of_account on voices (account_id, created_at desc, voice_id desc);
    comment on table voices is 'Voices that accounts made from recordings.';

    create table voice_recordings (
      voice_id uuid primary key references voices on delete cascade,
      kind text not null check (kind in ('mp3', 'wav', 'ogg', 'm4a')),
      content bytea not null
    );
    comment on table voice_recordings is 'Recordings that voices are made from.';
  `);
  },
};
