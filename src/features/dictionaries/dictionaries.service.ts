import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { LANGUAGES, type Language } from '../../../media/languages.js';
import type { PronunciationRule } from '../../../media/text/dictionary/pronunciation-rule.js';
import type { PlsLimits } from '../../../media/text/pls/lexeme-reader.js';
import type { PlsThread } from '../../../media/text/pls/pls-thread.js';
import { isDatabaseUnavailable } from '../../platform/db/database-unavailable.js';
import { ApiError } from '../../platform/http/api-error.js';
import { valueError } from '../../platform/http/validation/invalid-input.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import type {
  DictionariesRepository,
  DictionaryDetail,
  DictionarySummary,
} from './dictionaries.repository.js';
import type { RuleInput } from './dictionaries.schema.js';

/** Removes references to a dictionary that is deleted. */
export interface DictionaryReferences {
  forgetDictionary(transaction: Knex.Transaction, accountId: string, id: string): Promise<void>;
}

export interface DictionaryServiceParts {
  readonly repository: DictionariesRepository;
  readonly references: DictionaryReferences;
  readonly pls: Pick<PlsThread, 'read' | 'write'>;
  readonly limits: PlsLimits;
}

/** A version of a dictionary as a file. */
export interface DictionaryFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Pronunciation dictionaries of accounts. Another account's dictionary is DICTIONARY_NOT_FOUND.
 */
export class DictionaryService {
  readonly #parts: DictionaryServiceParts;

  constructor(parts: DictionaryServiceParts) {
    this.#parts = parts;
  }

  async create(
    accountId: string,
    given: { readonly name: string; readonly language: Language; readonly rules: RuleInput[] },
  ): Promise<DictionaryDetail> {
    return this.#insert(accountId, { ...given, rules: withIds(given.rules) });
  }

  /** @throws ApiError INVALID_PLS with line and column */
  async createFromFile(
    accountId: string,
    given: { readonly name: string; readonly language?: Language | undefined; bytes: Uint8Array },
  ): Promise<DictionaryDetail> {
    const { name, language, bytes } = given;
    const { pls, limits } = this.#parts;
    const languages = language === undefined ? LANGUAGES : [language];
    const outcome = await pls.read({ bytes, limits, languages });
    if (outcome.type === 'fault') {
      const { sentence, line, column } = outcome;
      throw new ApiError('INVALID_PLS', `${sentence} (line ${line}, column ${column})`, {
        detail: `line ${line}, column ${column}`,
        fields: { line, column },
      });
    }
    const { lexicon } = outcome;
    return this.#insert(accountId, {
      name,
      language: lexicon.language as Language,
      rules: lexicon.rules,
    });
  }

  list(accountId: string, limit: number): Promise<DictionarySummary[]> {
    return this.#parts.repository.list(accountId, limit);
  }

  async find(accountId: string, id: string): Promise<DictionaryDetail> {
    return (await this.#parts.repository.find(accountId, id)) ?? throwNotFound('dictionary');
  }

  async rename(accountId: string, id: string, name: string): Promise<DictionaryDetail> {
    return (
      (await this.#parts.repository.rename(accountId, id, name)) ?? throwNotFound('dictionary')
    );
  }

  async setRules(accountId: string, id: string, rules: RuleInput[]): Promise<DictionaryDetail> {
    return this.#changeRules(accountId, id, () => withIds(rules));
  }

  /** @throws ApiError RULE_ID_IN_USE, DICTIONARY_FULL */
  async addRules(accountId: string, id: string, rules: RuleInput[]): Promise<DictionaryDetail> {
    const most = this.#parts.limits.rules;
    return this.#changeRules(accountId, id, (present) => {
      if (present.length + rules.length > most) {
        const sentence = `The dictionary would have more than ${most} rules, the maximum: remove some first`;
        throw new ApiError('DICTIONARY_FULL', sentence);
      }
      const ids = new Set(present.map(({ id }) => id));
      const taken = rules.find(({ id }) => id && ids.has(id))?.id;
      if (taken)
        throw new ApiError('RULE_ID_IN_USE', `The dictionary has a rule with the id ${taken}`);
      return [...present, ...withIds(rules)];
    });
  }

  /** Ignores unknown ids. */
  async removeRules(
    accountId: string,
    id: string,
    ruleIds: readonly string[],
  ): Promise<DictionaryDetail> {
    const gone = new Set(ruleIds);
    return this.#changeRules(accountId, id, (rules) => rules.filter((rule) => !gone.has(rule.id)));
  }

  async delete(accountId: string, id: string): Promise<void> {
    const { repository, references } = this.#parts;
    const isDeleted = await repository.delete(accountId, id, (transaction) =>
      references.forgetDictionary(transaction, accountId, id),
    );
    if (!isDeleted) throwNotFound('dictionary');
  }

  /** @throws ApiError DICTIONARY_VERSION_NOT_FOUND */
  async download(accountId: string, id: string, version: number): Promise<DictionaryFile> {
    const { repository, pls } = this.#parts;
    const summary = (await repository.findSummary(accountId, id)) ?? throwNotFound('dictionary');
    const rules = (await repository.findRules(id, version)) ?? throwNotFound('dictionary version');
    const text = await pls.write({ language: summary.language, rules });
    return { name: `${summary.name}-v${version}.pls`, text };
  }

  async #insert(
    accountId: string,
    given: {
      readonly name: string;
      readonly language: Language;
      readonly rules: readonly PronunciationRule[];
    },
  ): Promise<DictionaryDetail> {
    try {
      return await this.#parts.repository.insert({ ...given, id: randomUUID(), accountId });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      throw new ApiError('DICTIONARY_CREATION_FAILED', 'Cannot store the dictionary: try again', {
        cause: error,
      });
    }
  }

  async #changeRules(
    accountId: string,
    id: string,
    decide: (rules: readonly PronunciationRule[]) => readonly PronunciationRule[],
  ): Promise<DictionaryDetail> {
    const changed = await this.#parts.repository.changeRules(accountId, id, decide);
    return changed ?? throwNotFound('dictionary');
  }
}

/** @throws InvalidInput for a duplicate id */
function withIds(rules: readonly RuleInput[]): PronunciationRule[] {
  const taken = new Set<string>();
  return rules.map((rule, index) => {
    const id = rule.id || randomUUID();
    if (taken.has(id)) {
      throw valueError(['body', 'rules', index, 'id'], 'another rule has this id', id);
    }
    taken.add(id);
    return {
      id,
      word: rule.word,
      replacement: rule.replacement,
      ipa: rule.ipa?.trim() ? rule.ipa : null,
      caseSensitive: rule.case_sensitive,
    };
  });
}
