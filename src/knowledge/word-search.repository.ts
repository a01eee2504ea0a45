import type { Knex } from 'knex';
import { knowledgeBaseWord, searchConfig, searchText } from './search-words.js';

/** A passage by the words that it shares with a question. */
export interface WordHit {
  readonly id: number;
  /** Of the question's words by their weight, 0…1. */
  readonly share: number;
}

/** What of a knowledge base tells how to look for words in it. */
export interface KnowledgeWords {
  readonly languages: readonly string[];
  readonly passages: number;
}

/** Longer questions are looked up by their beginning. */
const LONGEST = 1_000;
const MOST_WORDS = 32;
/** A word that so many passages have tells nothing, and reading them all takes time. */
const MOST_HITS = 2_000;

/** Full text: which passages hold a question's words, in the language of each. */
export class WordSearchRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async wordsOf(kbId: number): Promise<KnowledgeWords> {
    const rows: { language: string; count: number }[] = await this.#db('passages')
      .where({ kb_id: kbId })
      .groupBy('language')
      .select('language', this.#db.raw('count(*)::int as count'));
    return {
      languages: rows.map(({ language }) => language),
      passages: rows.reduce((sum, { count }) => sum + count, 0),
    };
  }

  /**
   * The passages that share the rarest words with a question, best first. A word weighs by how few
   * passages have it. Source: the inverse document frequency of BM25 (Robertson and Zaragoza, 2009).
   */
  async search(
    kbId: number,
    question: string,
    { languages, passages }: KnowledgeWords,
    limit: number,
  ): Promise<readonly WordHit[]> {
    if (languages.length === 0) return [];
    const asked = languages.slice(0, 8);
    const { rows } = await this.#db.raw<{ rows: WordHit[] }>(
      `with words as materialized (
         select distinct lexeme
         from unnest(?::text[], ?::text[]) as asked (config, question),
           unnest(to_tsvector(config::regconfig, question)) limit ${MOST_WORDS}
       ), hits as materialized (
         select lexeme, found.id
         from words left join lateral (
           select id from passages
           where search @@ (? || ' & ' || quote_literal(lexeme))::tsquery and kb_id = ?
           limit ${MOST_HITS}) found on true
       ), weights as (
         select lexeme, case when count(id) = ${MOST_HITS} then 0.01
           else ln(1 + (greatest(?, count(id)) - count(id) + 0.5) / (count(id) + 0.5)) end as weight
         from hits group by lexeme
       )
       select id, (sum(weight) / (select sum(weight) from weights))::float8 as share
       from hits join weights using (lexeme)
       where id is not null group by id order by share desc, id limit ?`,
      [
        asked.map(searchConfig),
        asked.map((language) => searchText(question.slice(0, LONGEST), language)),
        `'${knowledgeBaseWord(kbId)}'`,
        kbId,
        passages,
        limit,
      ],
    );
    return rows;
  }
}
