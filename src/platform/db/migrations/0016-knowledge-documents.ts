import type { Migration } from './migration.js';

/** Documents that come as files, passages by structure, and full text beside vectors. */
export const knowledgeDocuments: Migration = {
  name: '0016-knowledge-documents',
  async up(transaction) {
    await transaction.raw(`
    alter table knowledge_bases
      -- ISO 639-1; null: each document tells its own
      add column language text,
      -- grows when passages go: vectors that a gateway keeps can then not just be added to
      add column deletions bigint not null default 0;

    alter table documents
      add column kind text not null default 'text'
        check (kind in ('text', 'markdown', 'html', 'pdf', 'docx')),
      add column name text not null default '',
      -- what text is to be taken from; gone when that is done
      add column file bytea,
      add column file_bytes integer,
      -- the text that was taken from the file
      add column body text,
      add column title text not null default '',
      -- why it cannot be read, in a sentence; it is then left alone for good
      add column failure text,
      -- a gateway takes its text until then
      add column claimed_until timestamptz(3),
      add column created_at timestamptz(3) not null default now();
    create index documents_with_file on documents (id) where file is not null;

    -- they are cut by other rules now: all are made anew by the job
    delete from passages;
    update documents set passage_count = null, indexed_with = null;
    update knowledge_bases set version = version + 1, deletions = deletions + 1;
    alter table passages
      add column language text not null default 'en',
      -- its words, by the rules of its language, and the knowledge base as a word of its own
      add column search tsvector not null default '',
      -- the version of the knowledge base that its vector came with
      add column vector_version bigint not null default 0;
    comment on column passages.embedding is
      'one vector a window of the text: 32-bit floats, little-endian, of unit length';
    create index passages_by_words on passages using gin (search) with (fastupdate = off);
    create index passages_by_vector_version on passages (kb_id, embedding_model, vector_version);
  `);
  },
};
