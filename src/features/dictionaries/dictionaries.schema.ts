import { z } from 'zod';
import { LANGUAGES } from '../../../media/languages.js';
import type { PlsLimits } from '../../../media/text/pls/lexeme-reader.js';
import { isXmlText } from '../../../media/text/pls/write-pls.js';
import { upload } from '../../platform/http/validation/multipart-body.js';
import {
  bool,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';

const MAX_ID_LENGTH = 200;
const MAX_NAME_LENGTH = 255;
const NO_CONTROLS = 'text must not contain control characters';
/** The same rule as a pattern, for the OpenAPI document. */
const XML = '[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]*';
const XML_TEXT = `^${XML}$`;
const XML_WORD = `^${XML}[^\\u0000-\\u0020\\s\\ufeff\\ufffe\\uffff]${XML}$`;

const LEXICON = `<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" alphabet="ipa" xml:lang="en">
  <lexeme><grapheme>Parley</grapheme><alias>par lay</alias></lexeme>
</lexicon>`;

const name = () => str({ min: 1, max: MAX_NAME_LENGTH });
const language = () => oneOf(LANGUAGES, { description: 'ISO 639-1' });

/** Request bodies, with limits from the settings. */
export function dictionaryBodies(limits: PlsLimits) {
  const rules = list(ruleInput(limits), { max: limits.rules });
  return {
    create: model({
      name: name(),
      language: language().default('en'),
      rules: rules.default([]),
    }).meta({ id: 'CreateDictionaryFromRules' }),
    createFromFile: model({
      file: upload({
        description: 'A lexicon in the form of PLS 1.0.',
        mediaTypes: ['application/pls+xml'],
        example: LEXICON,
      }),
      name: name(),
      language: language()
        .optional()
        .meta({ description: 'ISO 639-1. Default: `xml:lang` of the file.' }),
    }).meta({ id: 'CreateDictionaryFromFile' }),
    rules: model({ rules }).meta({ id: 'DictionaryRules' }),
    removeRules: model({
      rule_ids: list(str({ max: MAX_ID_LENGTH }), { max: limits.rules }),
    }).meta({ id: 'RemoveDictionaryRules' }),
    rename: model({ name: name() }).meta({ id: 'RenameDictionary' }),
  };
}

function ruleInput({ wordLength, replacementLength }: PlsLimits) {
  return model({
    id: str({ max: MAX_ID_LENGTH }).refine(isXmlText, NO_CONTROLS).nullable().optional().meta({
      description: 'Default: generated. It is the same in all versions.',
      pattern: XML_TEXT,
    }),
    word: str({
      min: 1,
      max: wordLength,
      description: 'Word or phrase. A space matches any white space.',
    })
      .refine((word) => word.trim() !== '', 'word must not be blank')
      .refine(isXmlText, NO_CONTROLS)
      .meta({ pattern: XML_WORD }),
    replacement: str({ max: replacementLength, description: 'Text that is spoken instead.' })
      .refine(isXmlText, NO_CONTROLS)
      .meta({ pattern: XML_TEXT }),
    ipa: str({
      max: replacementLength,
      description: 'Phonemes for voices that support them. Other voices speak the replacement.',
    })
      .refine(isXmlText, NO_CONTROLS)
      .meta({ pattern: XML_TEXT })
      .nullable()
      .optional(),
    case_sensitive: bool().default(true),
  }).meta({ id: 'PronunciationRuleInput' });
}
export type RuleInput = z.output<ReturnType<typeof ruleInput>>;

/** Accepts any text: an unknown id is answered with 404. */
export const DictionaryPath = model({ dictionary_id: str() });
export const VersionPath = model({ dictionary_id: str(), version: int() });

const unixSeconds = (description: string) => int({ description: `${description}, Unix seconds` });

const SUMMARY = {
  id: str({ format: 'uuid' }),
  name: name(),
  language: language(),
  current_version: int({ description: 'The version that is used by default.' }),
  created_at_unix: unixSeconds('Creation'),
  updated_at_unix: unixSeconds('Last change'),
};

export const DictionarySummaryBody = model(SUMMARY).meta({ id: 'PronunciationDictionarySummary' });
export type DictionarySummaryBody = z.output<typeof DictionarySummaryBody>;

const RuleBody = model({
  id: str(),
  word: str(),
  replacement: str(),
  ipa: str().nullable(),
  case_sensitive: bool(),
}).meta({ id: 'PronunciationRule' });

export const DictionaryBody = model({
  ...SUMMARY,
  rules: list(RuleBody).meta({ description: 'The rules of the current version.' }),
  versions: list(
    model({ version: int(), created_at_unix: unixSeconds('Creation') }).meta({
      id: 'PronunciationDictionaryVersion',
    }),
  ).meta({ description: 'Newest first.' }),
}).meta({ id: 'PronunciationDictionary' });
export type DictionaryBody = z.output<typeof DictionaryBody>;

export const DictionaryList = list(DictionarySummaryBody);
export const DictionaryDeleted = model({ id: str(), deleted: z.literal(true) });
