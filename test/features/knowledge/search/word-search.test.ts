import { beforeAll, describe, expect, it } from 'vitest';
import { AccountsRepository } from '../../../../src/features/auth/accounts.repository.js';
import { IndexingRepository } from '../../../../src/features/knowledge/indexing/indexing.repository.js';
import { KnowledgeRepository } from '../../../../src/features/knowledge/knowledge.repository.js';
import {
  FullTextSearchRepository,
  type WordStatistics,
} from '../../../../src/features/knowledge/search/full-text-search.repository.js';
import { withDatabase } from '../../../support/harness/postgres/test-database.js';

const MODEL = 'none';
const MANY = 600;
const database = withDatabase();
let words: FullTextSearchRepository;
let kbId: number;
let known: WordStatistics;

beforeAll(async () => {
  const { db } = database;
  words = new FullTextSearchRepository(db);
  const accountId = await new AccountsRepository(db).insert('An account of a test');
  const fields = { name: 'Pool', documents: [{ content: 'All', metadata: {} }] };
  ({ kbId } = await new KnowledgeRepository(db, MODEL).insert(accountId, fields));
  const repository = new IndexingRepository(db, MODEL);
  const texts = Array.from({ length: MANY }, () => 'The pool opens at nine.');
  texts.push('The sauna beside the pool.', 'A pool that opens is a swimming pool.');
  await repository.transaction(async (transaction) => {
    const [document] = (await repository.claim(transaction, 1))!.documents;
    const of = { kbId, document: document!, language: 'en' };
    await repository.insertPassages(
      transaction,
      of,
      texts.map((text) => ({ title: '', text })),
    );
  });
  known = await words.wordsOf(kbId);
});

async function find(question: string) {
  const hits = await words.search(kbId, question, known, 5);
  const rows = await database.db('passages').whereIn(
    'id',
    hits.map(({ id }) => id),
  );
  const textOf = new Map(rows.map(({ id, text }) => [id, text]));
  return hits.map(({ id, share }) => ({ text: textOf.get(id), share }));
}

describe('full-text search', () => {
  // The first query determines the common words, the second one uses the result.
  it.each(['first', 'second'])(
    'weights rare words and ignores common ones in the %s query',
    async () => {
      expect(await find('Does the pool have a sauna?')).toEqual([
        { text: 'The sauna beside the pool.', share: 1 },
      ]);
      expect(known.common).toContain('pool');
    },
  );

  it.each(['first', 'second'])(
    'for common words finds only passages that contain all of them in the %s query',
    async () => {
      const found = await find('When does the pool open?');
      expect(found).toHaveLength(5);
      for (const { text, share } of found) {
        expect(text).toMatch(/pool.*opens/);
        expect(share).toBe(1);
      }
    },
  );

  it('does not return passages with common words for a query about something else', async () => {
    expect(await find('Does the pool have a jacuzzi?')).toEqual([]);
  });

  it('accepts any characters', async () => {
    for (const question of [
      "it's \\ a'b \\'",
      '& | ! ( ) :* <->',
      "C:\\pool\\sauna 'pool",
      '\u{1f3ca} 99%',
    ]) {
      await expect(find(question)).resolves.toBeInstanceOf(Array);
    }
  });
});
