import { describe, expect, it } from 'vitest';
import {
  DICTIONARIES,
  LIMITS,
  sendFile,
  withDictionaryPlane,
} from '../../support/harness/app/dictionary-app.js';

const plane = withDictionaryPlane();
const SQL = { id: 'sql', word: 'SQL', replacement: 'sequel' };
const CPP = { word: 'C++', replacement: 'see plus plus', ipa: 'siː', case_sensitive: false };

async function setUp(rules: readonly unknown[] = [SQL, CPP]) {
  const ask = await plane.asNewAccount();
  const { status, body } = await ask('POST', `${DICTIONARIES}/add-from-rules`, {
    name: 'Words',
    rules,
  });
  expect(status).toBe(200);
  return { ask, made: body, path: `${DICTIONARIES}/${body.id}` };
}

const idsOf = (body: { rules: { id: string }[] }) => body.rules.map(({ id }) => id);

describe('new dictionary', () => {
  it('is returned completely, with every field of its rules', async () => {
    const { made } = await setUp();
    const now = Math.floor(Date.now() / 1000);
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Words',
      language: 'en',
      current_version: 1,
      created_at_unix: expect.any(Number),
      updated_at_unix: expect.any(Number),
      rules: [
        { ...SQL, ipa: null, case_sensitive: true },
        { ...CPP, id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      ],
      versions: [{ version: 1, created_at_unix: expect.any(Number) }],
    });
    expect(Math.abs(made.created_at_unix - now)).toBeLessThan(30);
  });

  it('needs only a name', async () => {
    const ask = await plane.asNewAccount();
    const { status, body } = await ask('POST', `${DICTIONARIES}/add-from-rules`, { name: 'x' });
    expect([status, body.language, body.rules]).toEqual([200, 'en', []]);
  });

  it('may contain a word twice, and null as ID or transcription', async () => {
    const twice = { id: null, word: 'a', replacement: 'b', ipa: null };
    const { made } = await setUp([twice, twice, { ...twice, ipa: '' }]);
    expect(new Set(idsOf(made)).size).toBe(3);
    expect(made.rules.map(({ ipa }: { ipa: unknown }) => ipa)).toEqual([null, null, null]);
  });

  it('is created once by a repeated request with an idempotency key', async () => {
    const ask = await plane.asNewAccount();
    const key = { 'idempotency-key': 'once' };
    const send = () => ask('POST', `${DICTIONARIES}/add-from-rules`, { name: 'x' }, key);
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect((await ask('GET', DICTIONARIES)).body).toHaveLength(1);
  });
});

describe('repeated change of rules with an idempotency key', () => {
  it.each([
    ['set-rules', { rules: [CPP] }],
    ['add-rules', { rules: [CPP] }],
    ['remove-rules', { rule_ids: ['sql'] }],
  ])('creates one version: %s', async (verb, body) => {
    const { ask, path } = await setUp([SQL]);
    const send = () => ask('POST', `${path}/${verb}`, body, { 'idempotency-key': verb });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await ask('GET', path)).body.current_version).toBe(2);
  });
});

describe('list of dictionaries', () => {
  it('contains the summaries of the account, newest first', async () => {
    const { ask, made } = await setUp();
    const { body: second } = await ask('POST', `${DICTIONARIES}/add-from-rules`, { name: 'b' });
    const { status, body } = await ask('GET', DICTIONARIES);
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([second.id, made.id]);
    const { rules: _, versions: __, ...summary } = made;
    expect(body[1]).toEqual(summary);
  });
});

describe('versions', () => {
  it('are created by every change of the rules, but not by a new name', async () => {
    const { ask, made, path } = await setUp();
    const set = await ask('POST', `${path}/set-rules`, { rules: [SQL] });
    expect([set.status, set.body.current_version, idsOf(set.body)]).toEqual([200, 2, ['sql']]);
    const added = await ask('POST', `${path}/add-rules`, { rules: [{ ...CPP, id: 'cpp' }] });
    expect([added.body.current_version, idsOf(added.body)]).toEqual([3, ['sql', 'cpp']]);
    const removed = await ask('POST', `${path}/remove-rules`, { rule_ids: ['sql', 'never'] });
    expect([removed.body.current_version, idsOf(removed.body)]).toEqual([4, ['cpp']]);
    const renamed = await ask('PATCH', path, { name: 'New name' });
    expect([renamed.status, renamed.body.name, renamed.body.current_version]).toEqual([
      200,
      'New name',
      4,
    ]);
    const read = await ask('GET', path);
    expect(read.body).toEqual(renamed.body);
    expect(read.body.versions.map(({ version }: { version: number }) => version)).toEqual([
      4, 3, 2, 1,
    ]);
    expect(read.body.created_at_unix).toBe(made.created_at_unix);
  });

  it('are created one after another by concurrent changes', async () => {
    const { ask, path } = await setUp([]);
    const adding = Array.from({ length: 8 }, (_, i) =>
      ask('POST', `${path}/add-rules`, { rules: [{ id: `${i}`, word: 'a', replacement: 'b' }] }),
    );
    const versions = (await Promise.all(adding)).map(({ body }) => body.current_version);
    expect(versions.toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(idsOf((await ask('GET', path)).body)).toHaveLength(8);
  });

  it('cannot be changed, not even in the database', async () => {
    const { made } = await setUp();
    const change = plane.database
      .db('dictionary_versions')
      .where({ dictionary_id: made.id })
      .update({ rules: '[]' });
    await expect(change).rejects.toThrow('never changed');
  });

  it('can be downloaded unchanged and parsed again', async () => {
    const { ask, made, path } = await setUp();
    await ask('POST', `${path}/set-rules`, { rules: [] });
    const { status, headers, body } = await ask('GET', `${path}/1/download`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/pls+xml']);
    expect(headers.get('content-disposition')).toBe('attachment; filename=Words-v1.pls');
    const again = await sendFile(ask, body);
    expect(again.status).toBe(200);
    expect([again.body.rules, again.body.language]).toEqual([made.rules, 'en']);
    expect((await ask('GET', `${path}/2/download`)).body).not.toContain('<lexeme');
    for (const version of ['3', '0', '-1', '99999999999', '9'.repeat(30)]) {
      const none = await ask('GET', `${path}/${version}/download`);
      expect([none.status, none.body.code]).toEqual([404, 'DICTIONARY_VERSION_NOT_FOUND']);
    }
    expect((await ask('GET', `${path}/latest/download`)).status).toBe(422);
  });
});

describe('missing dictionary', () => {
  it('returns 404 for every operation: unknown, malformed, deleted, or of another account', async () => {
    const { made } = await setUp();
    const ask = await plane.asNewAccount();
    const deletedDictionary = await ask('POST', `${DICTIONARIES}/add-from-rules`, { name: 'x' });
    const deleted = await ask('DELETE', `${DICTIONARIES}/${deletedDictionary.body.id}`);
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { id: deletedDictionary.body.id, deleted: true },
    ]);
    const ids = [
      made.id,
      deletedDictionary.body.id,
      '0',
      'a%20b',
      '00000000-0000-0000-0000-000000000000',
    ];
    for (const id of ids) {
      const path = `${DICTIONARIES}/${id}`;
      for (const answer of [
        await ask('GET', path),
        await ask('PATCH', path, { name: 'x' }),
        await ask('DELETE', path),
        await ask('POST', `${path}/set-rules`, { rules: [] }),
        await ask('POST', `${path}/add-rules`, { rules: [] }),
        await ask('POST', `${path}/remove-rules`, { rule_ids: [] }),
        await ask('GET', `${path}/1/download`),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([404, 'DICTIONARY_NOT_FOUND']);
      }
    }
  });
});

describe('API key', () => {
  it('needs the scope dictionaries', async () => {
    const ask = plane.askAs(await plane.makeKey(await plane.makeAccount(), ['speech']));
    expect((await ask('GET', DICTIONARIES)).status).toBe(403);
    expect((await sendFile(ask, 'x')).status).toBe(403);
    expect((await plane.askAs(null)('GET', DICTIONARIES)).status).toBe(401);
  });
});

describe('agent whose dictionary is deleted', () => {
  it('is kept, and its config returns null', async () => {
    const { ask, made, path } = await setUp();
    const tts_params = { dictionary_id: made.id.toUpperCase(), dictionary_version: 1, top_p: 0.5 };
    const agent = await ask('POST', '/agent', { name: 'x', config: { tts_params } });
    const other = await ask('POST', '/agent', {
      name: 'y',
      config: { tts_params: { top_p: 0.4 } },
    });
    await ask('POST', `/agent/${agent.body.agent_id}/deploy`);
    await ask('DELETE', path);
    const { body } = await ask('GET', `/agent/${agent.body.agent_id}`);
    expect(body.status).toBe('deployed');
    expect(body.config.tts_params).toMatchObject({
      dictionary_id: null,
      dictionary_version: null,
      top_p: 0.5,
    });
    expect(body.updated_at > agent.body.updated_at).toBe(true);
    const untouched = await ask('GET', `/agent/${other.body.agent_id}`);
    expect(untouched.body).toEqual(other.body);
  });
});

describe('limits', () => {
  it('apply to all rules together', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, () => ({ word: 'a', replacement: 'b' }));
    const { ask, path } = await setUp(many(LIMITS.DICTIONARY_RULES - 1));
    expect((await ask('POST', `${path}/add-rules`, { rules: many(1) })).status).toBe(200);
    const over = await ask('POST', `${path}/add-rules`, { rules: many(1) });
    expect([over.status, over.body.code]).toEqual([409, 'DICTIONARY_FULL']);
    const set = await ask('POST', `${path}/set-rules`, { rules: many(201) });
    expect(set.body.detail[0]).toMatchObject({ type: 'too_long', loc: ['body', 'rules'] });
    expect((await ask('GET', path)).body.current_version).toBe(2);
  });
});
