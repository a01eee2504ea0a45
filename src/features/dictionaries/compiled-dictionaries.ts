import { putNewest } from '../../../media/async/bounded-map.js';
import { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import { notFound } from '../ownership/owned-resources.js';
import type { DictionariesRepository } from './dictionaries.repository.js';

/** So many compiled versions are kept, those that were used last. */
const MAX_ENTRIES = 64;

/** Versions of dictionaries, ready to be applied: each is compiled once, as it never changes. */
export class CompiledDictionaries {
  readonly #repository: Pick<DictionariesRepository, 'findSummary' | 'findRules'>;
  /** By id and version, those used last at the end. */
  readonly #compiled = new Map<string, Promise<Dictionary>>();

  constructor(repository: Pick<DictionariesRepository, 'findSummary' | 'findRules'>) {
    this.#repository = repository;
  }

  /**
   * @param version null for the current one.
   * @throws ApiError DICTIONARY_NOT_FOUND, DICTIONARY_VERSION_NOT_FOUND
   */
  async find(accountId: string, id: string, version: number | null): Promise<Dictionary> {
    const summary = (await this.#repository.findSummary(accountId, id)) ?? notFound('dictionary');
    const wantedVersion = version ?? summary.currentVersion;
    const key = `${summary.id} ${wantedVersion}`;
    const dictionary = this.#compiled.get(key) ?? this.#compile(summary.id, wantedVersion);
    putNewest(this.#compiled, key, dictionary, MAX_ENTRIES);
    try {
      return await dictionary;
    } catch (error) {
      if (this.#compiled.get(key) === dictionary) this.#compiled.delete(key);
      throw error;
    }
  }

  async #compile(id: string, version: number): Promise<Dictionary> {
    const rules = (await this.#repository.findRules(id, version)) ?? notFound('dictionary version');
    return Dictionary.compile(rules);
  }
}
