import type { Knex } from 'knex';
import { knowledgeBaseWord, searchConfig, searchText } from './full-text-language.js';

/** A passage that shares words with a question. */
export interface WordHit {
  readonly id: number;
  /** Weighted share of the question's words, 0…1. */
  readonly share: number;
}

/** Statistics of a knowledge base for full-text queries. */
export interface WordStatistics {
  readonly languages: readonly string[];
  readonly passages: number;
  /** Words that occur in too many passages. Searches add to the set. */
  readonly common: Set<string>;
}

/** Longer questions are truncated. */
const MAX_QUESTION_LENGTH = 1_000;
const MAX_WORDS = 32;
/** A word in more passages than this share is common: it selects little and is slow to read. */
const COMMON_SHARE = 0.03;
const MIN_COMMON = 300;
const MAX_HITS = 2_000;
/** Remembered common words per knowledge base. */
const MAX_COMMON = 2_000;

interface HitsRow {
  readonly lexemes: readonly string[];
  readonly common: readonly string[];
  readonly ids: readonly number[];
  readonly shares: readonly number[];
}

/** Full-text search in the language of each passage. */
export class FullTextSearchRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async wordsOf(kbId: number): Promise<WordStatistics> {
    const rows: { language: string; count: number }[] = await this.#db('passages')
      .where({ kb_id: kbId })
      .groupBy('language')
      .select('language', this.#db.raw('count(*)::int as count'));
    return {
      languages: rows.map(({ language }) => language),
      passages: rows.reduce((sum, { count }) => sum + count, 0),
      common: new Set(),
    };
  }

  /**
   * The passages that share words with a question, best first. Words are weighted by inverse document
   * frequency (BM25, Robertson and Zaragoza, 2009). Common words have no weight; a question of only
   * common words finds the passages with all of them. `kb_id + 0` prevents a cached plan from using the
   * index of knowledge bases, which would read all passages of a large one.
   */
  async search(
    kbId: number,
    question: string,
    { languages, passages, common }: WordStatistics,
    limit: number,
  ): Promise<readonly WordHit[]> {
    if (languages.length === 0) return [];
    const asked = languages.slice(0, 8);
    const tooMany = Math.min(MAX_HITS, Math.max(MIN_COMMON, Math.round(passages * COMMON_SHARE)));
    const found = this.#db.raw<{ rows: [HitsRow] }>(
      `with words as materialized (
         select distinct lexeme
         from unnest(?::text[], ?::text[]) as asked (config, question),
           unnest(to_tsvector(config::regconfig, question)) limit ${MAX_WORDS}
       ), hits as materialized (
         select lexeme, ids, coalesce(array_length(ids, 1), 0)::float8 as count
         from words left join lateral (
           select array_agg(id) as ids from (
             select id from passages
             where search @@ (? || ' & ' || quote_literal(lexeme))::tsquery and kb_id + 0 = ?
             limit ?) found) of_word on true
         where lexeme <> all (?::text[])
       ), weights as materialized (
         select lexeme, ids, ln(1 + (greatest(?, count) - count + 0.5) / (count + 0.5)) as weight
         from hits where count < ?
       ), best as (
         select id, sum(weight) / (select sum(weight) from weights) as share
         from weights, unnest(ids) as id group by id order by share desc, id limit ?
       )
       select array(select lexeme from words) as lexemes,
         array(select lexeme from hits where count = ?) as common,
         array(select id::float8 from best) as ids, array(select share from best) as shares`,
      [
        asked.map(searchConfig),
        asked.map((language) => searchText(question.slice(0, MAX_QUESTION_LENGTH), language)),
        `'${knowledgeBaseWord(kbId)}'`,
        kbId,
        tooMany,
        [...common],
        passages,
        tooMany,
        limit,
        tooMany,
      ],
    );
    // Planning takes longer than execution: a named statement caches the plan.
    const { rows } = await found.options({ name: 'passages-by-words' });
    const [{ lexemes, common: more, ids, shares }] = rows;
    if (common.size < MAX_COMMON) for (const lexeme of more) common.add(lexeme);
    const isCommon = (lexeme: string) => common.has(lexeme) || more.includes(lexeme);
    if (lexemes.length > 0 && lexemes.every(isCommon)) {
      return this.#findWithAll(kbId, lexemes, limit);
    }
    return ids.map((id, i) => ({ id, share: shares[i]! }));
  }

  async #findWithAll(
    kbId: number,
    lexemes: readonly string[],
    limit: number,
  ): Promise<readonly WordHit[]> {
    return this.#db('passages')
      .where({ kb_id: kbId })
      .whereRaw(
        `search @@ (? || (select string_agg(' & ' || quote_literal(lexeme), '')
           from unnest(?::text[]) as lexeme))::tsquery`,
        [`'${knowledgeBaseWord(kbId)}'`, [...lexemes]],
      )
      .limit(limit)
      .select('id', this.#db.raw('1::float8 as share'));
  }
}
