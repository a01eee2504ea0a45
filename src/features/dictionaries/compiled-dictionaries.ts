import { LRUCache } from 'lru-cache';
import { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import type { DictionariesRepository } from './dictionaries.repository.js';

/** Compiled versions in the cache. */
const MAX_ENTRIES = 64;

/** Compiled versions of dictionaries. A version never changes, so it is compiled once. */
export class CompiledDictionaries {
  readonly #repository: Pick<DictionariesRepository, 'findSummary' | 'findRules'>;
  /** By id and version. */
  readonly #compiled = new LRUCache<string, Promise<Dictionary>>({ max: MAX_ENTRIES });

  constructor(repository: Pick<DictionariesRepository, 'findSummary' | 'findRules'>) {
    this.#repository = repository;
  }

  /**
   * @param version - null for the current one
   * @throws ApiError DICTIONARY_NOT_FOUND, DICTIONARY_VERSION_NOT_FOUND
   */
  async find(accountId: string, id: string, version: number | null): Promise<Dictionary> {
    const summary =
      (await this.#repository.findSummary(accountId, id)) ?? throwNotFound('dictionary');
    const wanted = version ?? summary.currentVersion;
    const key = `${summary.id} ${wanted}`;
    const dictionary = this.#compiled.get(key) ?? this.#compile(summary.id, wanted);
    this.#compiled.set(key, dictionary);
    try {
      return await dictionary;
    } catch (error) {
      if (this.#compiled.peek(key) === dictionary) this.#compiled.delete(key);
      throw error;
    }
  }

  async #compile(id: string, version: number): Promise<Dictionary> {
    const rules =
      (await this.#repository.findRules(id, version)) ?? throwNotFound('dictionary version');
    return Dictionary.compile(rules);
  }
}
