import type { DictionaryDetail, DictionarySummary } from './dictionaries.repository.js';
import type { DictionaryBody, DictionarySummaryBody } from './dictionaries.schema.js';

/** The body of a dictionary with its rules and versions. */
export function presentDictionary(dictionary: DictionaryDetail): DictionaryBody {
  return {
    ...presentDictionarySummary(dictionary),
    rules: dictionary.rules.map(({ id, word, replacement, ipa, caseSensitive }) => ({
      id,
      word,
      replacement,
      ipa,
      case_sensitive: caseSensitive,
    })),
    versions: dictionary.versions.map(({ version, createdAt }) => ({
      version,
      created_at_unix: unixSeconds(createdAt),
    })),
  };
}

/** The body of a dictionary in a list. */
export function presentDictionarySummary(dictionary: DictionarySummary): DictionarySummaryBody {
  return {
    id: dictionary.id,
    name: dictionary.name,
    language: dictionary.language,
    current_version: dictionary.currentVersion,
    created_at_unix: unixSeconds(dictionary.createdAt),
    updated_at_unix: unixSeconds(dictionary.updatedAt),
  };
}

function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}
