import { describe, expect, it } from 'vitest';
import {
  DICTIONARIES,
  sendFile,
  withDictionaryPlane,
} from '../../support/harness/app/dictionary-app.js';

const plane = withDictionaryPlane();
const NS = 'xmlns="http://www.w3.org/2005/01/pronunciation-lexicon"';
const LEXEME = '<lexeme><grapheme>a</grapheme><alias>b</alias></lexeme>';

function lexicon(content: string, language = 'en'): string {
  return `<lexicon ${NS} version="1.0" alphabet="ipa" xml:lang="${language}">\n${content}\n</lexicon>`;
}

describe('invalid rules', () => {
  const rule = { word: 'a', replacement: 'b' };
  it.each<[unknown, string, (string | number)[]]>([
    [{ ...rule, word: '' }, 'string_too_short', ['word']],
    [{ ...rule, word: ' \n' }, 'value_error', ['word']],
    [{ ...rule, word: 'x'.repeat(201) }, 'string_too_long', ['word']],
    [{ ...rule, word: 'a\u0007b' }, 'value_error', ['word']],
    [{ ...rule, word: '\ud800' }, 'string_unicode', ['word']],
    [{ ...rule, word: 5 }, 'string_type', ['word']],
    [{ replacement: 'b' }, 'missing', ['word']],
    [{ word: 'a' }, 'missing', ['replacement']],
    [{ ...rule, replacement: null }, 'string_type', ['replacement']],
    [{ ...rule, replacement: 'x'.repeat(501) }, 'string_too_long', ['replacement']],
    [{ ...rule, ipa: 'x'.repeat(501) }, 'string_too_long', ['ipa']],
    [{ ...rule, case_sensitive: 'maybe' }, 'bool_parsing', ['case_sensitive']],
    [{ ...rule, id: 'x'.repeat(201) }, 'string_too_long', ['id']],
    ['rule', 'model_attributes_type', []],
  ])('are rejected: %j', async (bad, type, loc) => {
    const ask = await plane.asNewAccount();
    const body = { name: 'x', rules: [rule, bad] };
    const answer = await ask('POST', `${DICTIONARIES}/add-from-rules`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ type, loc: ['body', 'rules', 1, ...loc] });
  });

  it('are rejected with a duplicate ID', async () => {
    const ask = await plane.asNewAccount();
    const rules = [{ ...rule, id: 'x' }, rule, { ...rule, id: 'x' }];
    const answer = await ask('POST', `${DICTIONARIES}/add-from-rules`, { name: 'x', rules });
    expect(answer.body.detail[0]).toMatchObject({
      type: 'value_error',
      loc: ['body', 'rules', 2, 'id'],
    });
    const made = await ask('POST', `${DICTIONARIES}/add-from-rules`, {
      name: 'x',
      rules: [rules[0]],
    });
    const path = `${DICTIONARIES}/${made.body.id}/add-rules`;
    const again = await ask('POST', path, { rules: [rules[0]] });
    expect([again.status, again.body.code]).toEqual([409, 'RULE_ID_IN_USE']);
  });

  it.each([
    [{}, 'missing', ['body', 'name']],
    [{ name: '' }, 'string_too_short', ['body', 'name']],
    [{ name: 'x', language: 'xx' }, 'enum', ['body', 'language']],
    [{ name: 'x', rules: {} }, 'list_type', ['body', 'rules']],
    [undefined, 'missing', ['body']],
  ])('are rejected in a new dictionary: %j', async (body, type, loc) => {
    const ask = await plane.asNewAccount();
    const answer = await ask('POST', `${DICTIONARIES}/add-from-rules`, body);
    expect(answer.body.detail[0]).toMatchObject({ type, loc });
  });
});

describe('invalid lexicon file', () => {
  const deep = '<metadata>'.repeat(20) + '</metadata>'.repeat(20);
  const bomb = Array.from({ length: 30 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`).join(
    '',
  );
  it.each<[string, string, number]>([
    ['nothing', '', 1],
    ['no XML', 'a,b\nc,d', 2],
    ['a wrong namespace', lexicon(LEXEME).replace('2005/01', '1999/xhtml'), 1],
    ['a DTD', `<!DOCTYPE lexicon SYSTEM "file:///etc/passwd">${lexicon(LEXEME)}`, 1],
    ['an entity bomb', `<!DOCTYPE x [<!ENTITY e0 "a">${bomb}]>\n${lexicon('&e30;')}`, 1],
    ['an undefined entity', lexicon('\n&file;'), 3],
    ['20-deep nesting', lexicon(deep), 2],
    ['an empty word', lexicon('<lexeme><grapheme/><alias>b</alias></lexeme>'), 2],
    [
      'another alphabet',
      lexicon('<lexeme><grapheme>a</grapheme><phoneme alphabet="pinyin">a</phoneme></lexeme>'),
      2,
    ],
    ['too many rules', lexicon(LEXEME.repeat(201)), 2],
    ['a mismatched language', lexicon(LEXEME, 'de'), 1],
  ])('is rejected with its line: %s', async (_, file, line) => {
    const ask = await plane.asNewAccount();
    const { status, body } = await sendFile(ask, file, { name: 'x', language: 'en' });
    expect([status, body.code, body.line]).toEqual([400, 'INVALID_PLS', line]);
    expect(body.detail).toBe(`line ${line}, column ${body.column}`);
    expect(body.error).toContain(body.detail);
    expect((await ask('GET', DICTIONARIES)).body).toEqual([]);
  });

  it('is rejected at the first Latin-1 character if it is declared as UTF-8', async () => {
    const ask = await plane.asNewAccount();
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n${lexicon(`\n${LEXEME}<!-- é -->`)}`;
    const { status, body } = await sendFile(ask, new Uint8Array(Buffer.from(xml, 'latin1')));
    expect([status, body.code, body.line]).toEqual([400, 'INVALID_PLS', 4]);
  });

  it('is too large with 10 MB, and with one byte over the limit', async () => {
    const ask = await plane.asNewAccount();
    for (const size of [10_000_000, 1_048_577]) {
      const { status, body } = await sendFile(ask, lexicon(' '.repeat(size)).slice(0, size));
      expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    }
    const full = lexicon(`${LEXEME}${' '.repeat(1_048_576)}`);
    const fits = full.slice(0, full.indexOf(LEXEME) + LEXEME.length);
    const padded = `${fits}${' '.repeat(1_048_576 - fits.length - 10)}</lexicon>`;
    expect(padded.length).toBe(1_048_576);
    expect((await sendFile(ask, padded)).status).toBe(200);
  });

  it('may declare the language that the request omits', async () => {
    const ask = await plane.asNewAccount();
    const { body } = await sendFile(ask, lexicon(LEXEME, 'de-CH'));
    expect([body.language, body.name, body.rules.length]).toEqual(['de', 'from a file', 1]);
    expect((await sendFile(ask, lexicon(LEXEME, 'ja'))).body.code).toBe('INVALID_PLS');
  });
});

describe('invalid form', () => {
  const path = `${DICTIONARIES}/add-from-file`;

  it('without file or name is rejected', async () => {
    const ask = await plane.asNewAccount();
    const form = new FormData();
    form.set('language', 'xx');
    const { status, body } = await ask('POST', path, form);
    expect(status).toBe(422);
    expect(
      body.detail.map(({ type, loc }: { type: string; loc: string[] }) => [type, ...loc]),
    ).toEqual([
      ['missing', 'body', 'file'],
      ['missing', 'body', 'name'],
      ['enum', 'body', 'language'],
    ]);
    expect((await ask('POST', path)).body.detail[0].loc).toEqual(['body', 'file']);
    const text = new FormData();
    text.set('file', 'no file');
    expect((await ask('POST', path, text)).body.detail[0]).toMatchObject({
      type: 'value_error',
      loc: ['body', 'file'],
    });
  });

  it('with an empty field is treated as if the field were absent', async () => {
    const ask = await plane.asNewAccount();
    const form = new FormData();
    form.set('file', new Blob([lexicon(LEXEME, 'de-CH')]), 'x.pls');
    form.set('name', '');
    form.set('language', '');
    const { status, body } = await ask('POST', path, form);
    expect([status, body.detail[0].type, body.detail[0].loc]).toEqual([
      422,
      'missing',
      ['body', 'name'],
    ]);
    form.set('name', 'Swiss');
    expect((await ask('POST', path, form)).body).toMatchObject({ name: 'Swiss', language: 'de' });
  });

  it('as JSON, with broken syntax, or with its file in another field is rejected', async () => {
    const ask = await plane.asNewAccount();
    expect((await ask('POST', path, { name: 'x' })).status).toBe(415);
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = await ask('POST', path, { name: 'x' }, type);
    expect([broken.status, broken.body.code]).toEqual([400, 'BAD_REQUEST']);
    const form = new FormData();
    form.set('other', new Blob(['x']), 'x.pls');
    expect((await ask('POST', path, form)).body.detail[0].loc).toEqual(['body', 'other']);
    const fields = new FormData();
    for (let i = 0; i < 30; i++) fields.set(`field${i}`, 'x');
    expect((await ask('POST', path, fields)).status).toBe(400);
  });
});

it('the OpenAPI document describes every endpoint', async () => {
  const document = await plane.askAs(null)('GET', '/../../openapi.json');
  const paths = Object.keys(document.body.paths).filter((path) => path.includes('pronunciation'));
  expect(paths).toHaveLength(8);
  const { post } = document.body.paths[`/api/v1${DICTIONARIES}/add-from-file`];
  expect(Object.keys(post.requestBody.content)).toEqual(['multipart/form-data']);
  expect(JSON.stringify(document.body.components)).toContain('"format":"binary"');
});
