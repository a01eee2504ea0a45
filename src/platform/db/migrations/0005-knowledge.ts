import type { Migration } from './migration.js';

/** Knowledge bases, their documents, and the passages that documents are cut into and found by. */
export const knowledge: Migration = {
  name: '0005-knowledge',
  async up(transaction) {
    await transaction.raw(`
    create table knowledge_bases (
      kb_id integer generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      name text not null default '',
      description text not null default '',
      -- grows whenever its passages change: vectors that a gateway keeps are then out of date
      version bigint not null default 1,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    -- lists are newest first, ties by id
    create index knowledge_bases_of_account
      on knowledge_bases (account_id, created_at desc, kb_id desc);

    create table documents (
      id bigint generated always as identity primary key,
      kb_id integer not null references knowledge_bases on delete cascade,
      content text not null,
      metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
      -- null until it is cut into passages
      passage_count integer,
      -- the embedding model that all of its passages have vectors of: another or none is work to do
      indexed_with text,
      -- tries in a row that failed: after some the document is left alone until the next start
      failures smallint not null default 0
    );
    create index documents_of_knowledge_base on documents (kb_id, id);

    create table passages (
      id bigint generated always as identity primary key,
      kb_id integer not null references knowledge_bases on delete cascade,
      document_id bigint not null references documents on delete cascade,
      -- the title that it stands below
      heading text not null default '',
      text text not null,
      -- 32-bit floats, little-endian, of unit length
      embedding bytea,
      embedding_model text,
      check ((embedding is null) = (embedding_model is null))
    );
    create index passages_of_knowledge_base on passages (kb_id, id);
    create index passages_of_document on passages (document_id, id);

    -- no route made knowledge bases before
    update agents set kb_id = null where kb_id is not null;
    alter table agents add constraint agents_kb_id_fkey
      foreign key (kb_id) references knowledge_bases on delete set null;
  `);
  },
};
