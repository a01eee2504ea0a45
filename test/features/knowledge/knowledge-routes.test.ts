import { describe, expect, it } from 'vitest';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { type Ask, withControlPlane } from '../../support/harness/app/control-plane-app.js';

const plane = withControlPlane();
const PATH = '/knowledge-base';
const DOCUMENT = { content: 'The pool opens at six.', metadata: { source: 'leaflet' } };

async function make(ask: Ask, fields: Record<string, unknown> = {}) {
  const { status, body } = await ask('POST', `${PATH}/`, { documents: [DOCUMENT], ...fields });
  expect(status).toBe(201);
  return body;
}

async function makeAgent(ask: Ask, kbId: number) {
  const { body } = await ask('POST', '/agent', { name: 'Ada', config: {}, kb_id: kbId });
  return `/agent/${body.agent_id}`;
}

describe('knowledge base', () => {
  it('is created, waits for indexing, and is returned with its documents', async () => {
    const ask = await plane.asNewAccount();
    const documents = [DOCUMENT, { content: '🏊'.repeat(200_000) }];
    const made = await make(ask, { name: 'Pool', description: 'Hours', documents });
    expect(made).toEqual({
      kb_id: expect.any(Number),
      document_count: 2,
      created_at: expect.stringMatching(/Z$/),
      updated_at: made.created_at,
      name: 'Pool',
      description: 'Hours',
      language: null,
      message: 'indexing 1 of 2 documents',
    });
    const { body } = await ask('GET', `${PATH}/${made.kb_id}/`);
    expect(body).toEqual({
      ...made,
      documents: [DOCUMENT, { content: '🏊'.repeat(200_000), metadata: {} }],
    });
  });

  it('needs only documents, which may contain escape sequences', async () => {
    const ask = await plane.asNewAccount();
    expect(await make(ask, { name: null })).toMatchObject({ name: '', description: '' });
    const key = await plane.makeKey(await plane.makeAccount());
    expect((await plane.askAs(key)('GET', PATH)).body.items).toEqual([]);
  });

  it('is listed newest first, in pages, always as an object', async () => {
    const ask = await plane.asNewAccount();
    expect((await ask('GET', PATH)).body).toEqual({
      items: [],
      pagination: {
        current_page: 1,
        total_pages: 0,
        total_items: 0,
        limit: 20,
        has_next: false,
        has_previous: false,
      },
    });
    for (const name of ['one', 'two', 'three']) await make(ask, { name });
    const first = await ask('GET', `${PATH}?limit=2`);
    expect(first.body.items.map(({ name }: { name: string }) => name)).toEqual(['three', 'two']);
    expect(first.body.pagination).toMatchObject({ total_pages: 2, has_next: true });
    const second = await ask('GET', `${PATH}?limit=2&page=2`);
    expect(second.body.items.map(({ name }: { name: string }) => name)).toEqual(['one']);
    expect((await ask('GET', `${PATH}?page=9`)).body.items).toEqual([]);
  });

  it('keeps fields that an update omits, and replaces its documents as a whole', async () => {
    const ask = await plane.asNewAccount();
    const made = await make(ask, { name: 'Pool', description: 'Hours' });
    const path = `${PATH}/${made.kb_id}`;
    const renamed = await ask('PUT', path, { name: 'Lido' });
    expect(renamed.body).toMatchObject({ name: 'Lido', description: 'Hours', document_count: 1 });
    expect(renamed.body.updated_at > made.updated_at).toBe(true);
    const contents = ['a', 'b', 'c'];
    const documents = contents.map((content) => ({ content }));
    expect((await ask('PUT', path, { documents })).body.document_count).toBe(3);
    const { body } = await ask('GET', path);
    expect(body.documents.map(({ content }: { content: string }) => content)).toEqual(contents);
  });

  it('is deleted permanently and removed from agents', async () => {
    const ask = await plane.asNewAccount();
    const { kb_id: kbId } = await make(ask);
    const agent = await makeAgent(ask, kbId);
    expect((await ask('GET', agent)).body.kb_id).toBe(kbId);
    const { status, body } = await ask('DELETE', `${PATH}/${kbId}`);
    expect([status, body]).toEqual([204, '']);
    expect((await ask('GET', agent)).body.kb_id).toBeNull();
    expect((await ask('DELETE', `${PATH}/${kbId}`)).status).toBe(404);
    const assigned = await ask('POST', `${agent}/assign-knowledge-base`, { kb_id: kbId });
    expect([assigned.status, assigned.body.code]).toEqual([404, 'KNOWLEDGE_BASE_NOT_FOUND']);
  });

  it('that is deleted while it is assigned to an agent returns not found', async () => {
    const accountId = await plane.makeAccount();
    const ask = plane.askAs(await plane.makeKey(accountId));
    const { kb_id: kbId } = await make(ask);
    const id = (await makeAgent(ask, kbId)).slice('/agent/'.length);
    await ask('DELETE', `${PATH}/${kbId}`);
    // Bypasses the check in the routes.
    const change = new AgentsRepository(plane.database.db).change(accountId, id, () => ({ kbId }));
    await expect(change).rejects.toMatchObject({ code: 'KNOWLEDGE_BASE_NOT_FOUND' });
  });

  it('returns 404 for other accounts and impossible IDs', async () => {
    const { kb_id: kbId } = await make(await plane.asNewAccount());
    const otherAccount = await plane.asNewAccount();
    for (const id of [kbId, 0, -1, 2 ** 31, '9'.repeat(15)]) {
      for (const answer of [
        await otherAccount('GET', `${PATH}/${id}`),
        await otherAccount('PUT', `${PATH}/${id}`, { name: 'stolen' }),
        await otherAccount('DELETE', `${PATH}/${id}`),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([404, 'KNOWLEDGE_BASE_NOT_FOUND']);
      }
    }
  });

  it('is refused to a key without its scope', async () => {
    const key = await plane.makeKey(await plane.makeAccount(), ['agents']);
    expect((await plane.askAs(key)('GET', PATH)).status).toBe(403);
    expect((await plane.askAs(null)('GET', PATH)).status).toBe(401);
  });
});

describe('knowledge base request with invalid input', () => {
  const documents = [DOCUMENT];
  const long = { content: 'x'.repeat(199_999) };
  it.each([
    [undefined, 'missing', ['body']],
    [{}, 'missing', ['body', 'documents']],
    [{ documents: null }, 'list_type', ['body', 'documents']],
    [{ documents: [] }, 'too_short', ['body', 'documents']],
    [{ documents: [{}] }, 'missing', ['body', 'documents', 0, 'content']],
    [{ documents: [{ content: '' }] }, 'string_too_short', ['body', 'documents', 0, 'content']],
    [{ documents: [{ content: 7 }] }, 'string_type', ['body', 'documents', 0, 'content']],
    [{ documents: [{ content: 'a\0' }] }, 'value_error', ['body', 'documents', 0, 'content']],
    [
      { documents: [{ ...DOCUMENT, metadata: 'x' }] },
      'dict_type',
      ['body', 'documents', 0, 'metadata'],
    ],
    [
      { documents: [{ ...DOCUMENT, metadata: { a: '\ud800' } }] },
      'value_error',
      ['body', 'documents', 0, 'metadata'],
    ],
    [
      { documents: [{ content: `${long.content}xx` }] },
      'string_too_long',
      ['body', 'documents', 0, 'content'],
    ],
    [{ documents: Array(11).fill(long) }, 'value_error', ['body', 'documents']],
    [{ documents: Array(5_001).fill(DOCUMENT) }, 'too_long', ['body', 'documents']],
    [{ documents, name: 'x'.repeat(256) }, 'string_too_long', ['body', 'name']],
    [{ documents, description: [] }, 'string_type', ['body', 'description']],
  ])('is rejected with the documented error (%#)', async (body, type, loc) => {
    const ask = await plane.asNewAccount();
    const answer = await ask('POST', PATH, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ type, loc });
  });

  it('in its path or query is rejected, and so is a body that is too large', async () => {
    const ask = await plane.asNewAccount();
    expect((await ask('GET', `${PATH}/x`)).body.detail[0].type).toBe('int_parsing');
    expect((await ask('DELETE', `${PATH}/1.5`)).status).toBe(422);
    expect((await ask('GET', `${PATH}?page=0`)).status).toBe(422);
    expect((await ask('GET', `${PATH}?limit=101`)).status).toBe(422);
    expect((await ask('POST', PATH, { name: 'x'.repeat(4_300_000) })).status).toBe(413);
    expect((await ask('PATCH', PATH)).status).toBe(405);
  });
});
