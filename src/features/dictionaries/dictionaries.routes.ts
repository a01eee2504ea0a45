import type { PlsLimits } from '../../../media/text/pls/lexeme-reader.js';
import { type Route, type RouteResponse, route, SENT } from '../../platform/http/route.js';
import { presentDictionary, presentDictionarySummary } from './dictionaries.presenter.js';
import {
  DictionaryBody,
  DictionaryDeleted,
  DictionaryList,
  DictionaryPath,
  dictionaryBodies,
  VersionPath,
} from './dictionaries.schema.js';
import type { DictionaryService } from './dictionaries.service.js';

const COMMON = { scope: 'dictionaries', tag: 'Pronunciation dictionaries' } as const;
const PATH = '/tts/pronunciation-dictionaries';
const ONE = `${PATH}/{dictionary_id}`;
const PLS_TYPE = 'application/pls+xml';
/** The list has no pages. It contains the newest dictionaries. */
const MAX_LIST = 1_000;
/** 10,000 rules exceed the default body limit. */
const MAX_RULES_BYTES = 8_388_608;

const THE_DICTIONARY: RouteResponse = { description: 'The dictionary', schema: DictionaryBody };
const DICTIONARY_NOT_FOUND: RouteResponse = { description: 'No such dictionary' };
const NOT_STORED: RouteResponse = { description: 'The dictionary could not be stored' };

export interface DictionaryRouteParts {
  readonly dictionaries: DictionaryService;
  readonly limits: PlsLimits;
  readonly maxFileBytes: number;
}

/** `/tts/pronunciation-dictionaries` */
export function dictionaryRoutes(parts: DictionaryRouteParts): readonly Route[] {
  const bodies = dictionaryBodies(parts.limits);
  return [
    ...creationRoutes(parts, bodies),
    ...oneDictionaryRoutes(parts, bodies),
    ...ruleRoutes(parts, bodies),
  ];
}

type Bodies = ReturnType<typeof dictionaryBodies>;

function creationRoutes(
  { dictionaries, maxFileBytes }: DictionaryRouteParts,
  bodies: Bodies,
): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'post',
      path: `${PATH}/add-from-rules`,
      summary: 'Create a dictionary from rules',
      body: bodies.create,
      maxBodyBytes: MAX_RULES_BYTES,
      isIdempotent: true,
      responses: {
        200: THE_DICTIONARY,
        400: { description: 'The request is not valid' },
        502: NOT_STORED,
      },
      async handle({ principal, body }) {
        return presentDictionary(await dictionaries.create(principal.accountId, body));
      },
    }),
    route({
      ...COMMON,
      method: 'post',
      path: `${PATH}/add-from-file`,
      summary: 'Create a dictionary from a PLS file',
      body: bodies.createFromFile,
      isForm: true,
      maxBodyBytes: maxFileBytes,
      isIdempotent: true,
      responses: {
        200: THE_DICTIONARY,
        400: {
          description:
            'The file is not a valid lexicon. The response contains the line and the column',
        },
        413: { description: 'The file is too large' },
        502: NOT_STORED,
      },
      async handle({ principal, body: { file, name, language } }) {
        const given = { name, language, bytes: file.bytes };
        return presentDictionary(await dictionaries.createFromFile(principal.accountId, given));
      },
    }),
    route({
      ...COMMON,
      method: 'get',
      path: PATH,
      summary: 'List dictionaries',
      description: 'Newest first, without the rules.',
      responses: { 200: { description: 'The dictionaries', schema: DictionaryList } },
      async handle({ principal }) {
        return (await dictionaries.list(principal.accountId, MAX_LIST)).map(
          presentDictionarySummary,
        );
      },
    }),
  ];
}

function oneDictionaryRoutes(
  { dictionaries }: DictionaryRouteParts,
  bodies: Bodies,
): readonly Route[] {
  const common = { ...COMMON, params: DictionaryPath };
  return [
    route({
      ...common,
      method: 'get',
      path: ONE,
      summary: 'Read a dictionary',
      responses: { 200: THE_DICTIONARY, 404: DICTIONARY_NOT_FOUND },
      async handle({ principal, params }) {
        return presentDictionary(
          await dictionaries.find(principal.accountId, params.dictionary_id),
        );
      },
    }),
    route({
      ...common,
      method: 'patch',
      path: ONE,
      summary: 'Rename a dictionary',
      body: bodies.rename,
      responses: { 200: THE_DICTIONARY, 404: DICTIONARY_NOT_FOUND },
      async handle({ principal, params, body }) {
        const { accountId } = principal;
        return presentDictionary(
          await dictionaries.rename(accountId, params.dictionary_id, body.name),
        );
      },
    }),
    route({
      ...common,
      method: 'delete',
      path: ONE,
      summary: 'Delete a dictionary',
      description: 'It is removed from the agents that use it.',
      responses: {
        200: { description: 'The dictionary was deleted', schema: DictionaryDeleted },
        404: DICTIONARY_NOT_FOUND,
      },
      async handle({ principal, params: { dictionary_id: id } }) {
        await dictionaries.delete(principal.accountId, id);
        return { id, deleted: true };
      },
    }),
    route({
      ...COMMON,
      method: 'get',
      path: `${ONE}/{version}/download`,
      summary: 'Download a version as PLS',
      params: VersionPath,
      responses: {
        200: { description: 'The lexicon', mediaTypes: [PLS_TYPE] },
        404: { description: 'No such dictionary or version' },
      },
      async handle({ principal, params: { dictionary_id: id, version }, res }) {
        const { name, text } = await dictionaries.download(principal.accountId, id, version);
        res.attachment(name).set('Content-Type', PLS_TYPE).end(text);
        return SENT;
      },
    }),
  ];
}

function ruleRoutes({ dictionaries }: DictionaryRouteParts, bodies: Bodies): readonly Route[] {
  const common = {
    ...COMMON,
    method: 'post',
    params: DictionaryPath,
    maxBodyBytes: MAX_RULES_BYTES,
    // Each request adds a version.
    isIdempotent: true,
    responses: { 200: THE_DICTIONARY, 404: DICTIONARY_NOT_FOUND },
  } as const;
  return [
    route({
      ...common,
      path: `${ONE}/set-rules`,
      summary: 'Replace the rules',
      description: 'Creates a version, which becomes the current one.',
      body: bodies.rules,
      async handle({ principal, params, body }) {
        const { accountId } = principal;
        return presentDictionary(
          await dictionaries.setRules(accountId, params.dictionary_id, body.rules),
        );
      },
    }),
    route({
      ...common,
      path: `${ONE}/add-rules`,
      summary: 'Add rules',
      description: 'Appends the rules. Creates a version, which becomes the current one.',
      body: bodies.rules,
      responses: {
        ...common.responses,
        409: {
          description:
            'The dictionary has a rule with one of the ids, the rules exceed the limit, or the first request with this Idempotency-Key is still running',
        },
      },
      async handle({ principal, params, body }) {
        const { accountId } = principal;
        return presentDictionary(
          await dictionaries.addRules(accountId, params.dictionary_id, body.rules),
        );
      },
    }),
    route({
      ...common,
      path: `${ONE}/remove-rules`,
      summary: 'Remove rules',
      description: 'Removes rules by their ids. Creates a version, which becomes the current one.',
      body: bodies.removeRules,
      async handle({ principal, params, body }) {
        const { accountId } = principal;
        return presentDictionary(
          await dictionaries.removeRules(accountId, params.dictionary_id, body.rule_ids),
        );
      },
    }),
  ];
}
