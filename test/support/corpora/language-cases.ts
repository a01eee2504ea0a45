import { readFileSync } from 'node:fs';

/** A written text, its spoken form, and the source of the rule. */
export interface LanguageCase {
  readonly written: string;
  readonly spoken: string;
  readonly source: string;
}

/** @param language ISO 639-1 code. */
export function languageCases(language: string): LanguageCase[] {
  const file = new URL(`../../fixtures/languages/${language}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as LanguageCase[];
}
