import type { Migration } from './migration.js';

export const knowledge: Migration = {
  name: '0003-knowledge',
  async up(transaction) {
    await transaction.raw(`
    create table knowledge_bases (
      kb_id integer generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      name text not null default '',
      description text not null default '',
      -- ISO 639-1; null: detected per document
      language text,
      -- incremented when passages change, so that gateways update their cached vectors
      version bigint not null default 1,
      -- incremented when passages are deleted, so that gateways reload all cached vectors
      deletions bigint not null default 0,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    -- order of lists: newest first, then by id
    create index knowledge_bases_of_account
      on knowledge_bases (account_id, created_at desc, kb_id desc);
    comment on table knowledge_bases is 'Knowledge bases of accounts.';

    create table documents (
      id bigint generated always as identity primary key,
      kb_id integer not null references knowledge_bases on delete cascade,
      kind text not null default 'text'
        check (kind in ('text', 'markdown', 'html', 'pdf', 'docx')),
      name text not null default '',
      content text not null,
      metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
      -- the uploaded file, until its text is extracted
      file bytea,
      file_bytes integer,
      -- the extracted text
      body text,
      title text not null default '',
      -- null: not split into passages yet
      passage_count integer,
      -- the embedding model of all of its passages; the indexing job updates other documents
      indexed_with text,
      -- consecutive failed attempts at indexing
      failures smallint not null default 0,
      -- why its text cannot be extracted; it is not tried again
      failure text,
      -- a gateway extracts its text until then
      claimed_until timestamptz(3),
      created_at timestamptz(3) not null default now()
    );
    create index documents_of_knowledge_base on documents (kb_id, id);
    create index documents_with_file on documents (id) where file is not null;
    comment on table documents is 'Documents of knowledge bases.';

    create table passages (
      id bigint generated always as identity primary key,
      kb_id integer not null references knowledge_bases on delete cascade,
      document_id bigint not null references documents on delete cascade,
      heading text not null default '',
      text text not null,
      language text not null default 'en',
      -- its words, stemmed by its language, and the knowledge base as one more word
      search tsvector not null default '',
      -- one vector per window of the text: 32-bit floats, little-endian, of unit length
      embedding bytea,
      embedding_model text,
      -- the version of the knowledge base in which the vectors were added
      vector_version bigint not null default 0,
      check ((embedding is null) = (embedding_model is null))
    );
    create index passages_of_knowledge_base on passages (kb_id, id);
    create index passages_of_document on passages (document_id, id);
    create index passages_by_words on passages using gin (search) with (fastupdate = off);
    create index passages_by_vector_version on passages (kb_id, embedding_model, vector_version);
    comment on table passages is 'Parts of documents, which searches return.';
  `);
  },
};
