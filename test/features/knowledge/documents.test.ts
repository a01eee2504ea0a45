import { request } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SentenceModelEmbedder } from '../../../media/embeddings/sentence-model-embedder.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { DocumentsRepository } from '../../../src/features/knowledge/documents.repository.js';
import { TextExtractor } from '../../../src/features/knowledge/extraction/text-extractor.js';
import { ExtractionWorker } from '../../../src/features/knowledge/indexing/extraction-worker.js';
import { Indexer } from '../../../src/features/knowledge/indexing/indexer.js';
import { IndexingRepository } from '../../../src/features/knowledge/indexing/indexing.repository.js';
import { FullTextSearchRepository } from '../../../src/features/knowledge/search/full-text-search.repository.js';
import { PassagesRepository } from '../../../src/features/knowledge/search/passages.repository.js';
import { docxBomb, realDocument } from '../../support/corpora/documents.js';
import {
  type Ask,
  EMBEDDING_MODEL,
  withControlPlane,
} from '../../support/harness/app/control-plane-app.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const log = pino({ level: 'silent' });
let wake = (): void => undefined;
// File extraction has the lowest CPU priority.
vi.setConfig({ testTimeout: 60_000 });

const plane = withControlPlane({ onDocuments: () => wake() });
const embedder = await SentenceModelEmbedder.openMiniLm({
  id: EMBEDDING_MODEL,
  folder: modelFolder(EMBEDDING_MODEL),
  scheduler: new CpuScheduler(1),
});
let ask: Ask;
let files: ExtractionWorker;
let indexer: Indexer;

beforeAll(async () => {
  ask = await plane.asNewAccount();
  const { db } = plane.database;
  indexer = new Indexer({ repository: new IndexingRepository(db, embedder.id), embedder, log });
  files = new ExtractionWorker({
    documents: new DocumentsRepository(db, embedder.id),
    extractor: new TextExtractor(),
    log,
    onText: indexer.wake,
  });
  wake = () => {
    files.wake();
    indexer.wake();
  };
  indexer.start();
  files.start();
});
afterAll(async () => {
  await files?.close();
  await indexer?.close();
  await embedder.close();
});

async function makeBase(fields: Record<string, unknown> = {}): Promise<number> {
  const documents = [{ content: 'The pool opens at six.' }];
  return (await ask('POST', '/knowledge-base', { documents, ...fields })).body.kb_id;
}

function send(kbId: number, name: string, bytes: string | Buffer) {
  const form = new FormData();
  form.set('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name);
  return ask('POST', `/knowledge-base/${kbId}/documents`, form);
}

const documentOf = async (kbId: number, id: number) =>
  (await ask('GET', `/knowledge-base/${kbId}/documents/${id}`)).body;

async function settled(kbId: number, id: number) {
  const state = async () => (await documentOf(kbId, id)).status;
  await expect.poll(state, { timeout: 50_000 }).not.toBe('PENDING');
  return documentOf(kbId, id);
}

/** The starts of the passages found by words. */
async function find(kbId: number, question: string): Promise<string[]> {
  const words = new FullTextSearchRepository(plane.database.db);
  const hits = await words.search(kbId, question, await words.wordsOf(kbId), 3);
  const repository = new PassagesRepository(plane.database.db, embedder.id);
  const { passages } = await repository.passages(hits.map(({ id }) => id));
  return hits.map(({ id }) => passages.find((one) => one.id === id)!.text);
}

it('a JSON document has the name in its metadata', async () => {
  const documents = [
    { content: 'The pool opens at six.', metadata: { name: ' Opening\u0007 hours ', page: 3 } },
    { content: 'A swim costs four euros.', metadata: { name: 7 } },
    { content: '<p>Bring a towel.</p>', metadata: null },
  ];
  const kbId = await makeBase({ documents });
  const { items } = (await ask('GET', `/knowledge-base/${kbId}/documents`)).body;
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['Opening hours', '', '']);
});

describe('knowledge base created from a file', () => {
  const formOf = (fields: Readonly<Record<string, string>>, name: string, content: string) => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('file', new Blob([content]), name);
    return form;
  };

  it('has the fields of the form, and the file as its document', async () => {
    const fields = { name: 'Pool', description: 'What callers ask', language: 'en' };
    const form = formOf(fields, 'hours.md', '# Hours\nThe pool opens at six.');
    const { status, body } = await ask('POST', '/knowledge-base', form);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body).toMatchObject({ ...fields, document_count: 1 });
    const path = `/knowledge-base/${body.kb_id}/documents`;
    const poll = async () => (await ask('GET', path)).body.items;
    await expect
      .poll(poll, { timeout: 50_000 })
      .toMatchObject([{ name: 'hours.md', kind: 'markdown', status: 'INDEXED', passages: 1 }]);
  });

  it('is not created without a file or from an unreadable one', async () => {
    const before = (await ask('GET', '/knowledge-base')).body.pagination;
    const form = new FormData();
    form.set('name', 'Pool');
    const without = await ask('POST', '/knowledge-base', form);
    expect([without.status, without.body.detail?.[0]?.loc]).toEqual([422, ['body', 'file']]);
    const empty = await ask('POST', '/knowledge-base', formOf({}, 'hours.md', ''));
    expect([empty.status, empty.body.detail?.[0]?.loc]).toEqual([422, ['body', 'file']]);
    const image = await ask('POST', '/knowledge-base', formOf({}, 'a.png', '\x89PNG\r\n\x1a\n\0'));
    expect(image.status).toBe(415);
    const large = await ask('POST', '/knowledge-base', formOf({}, 'a.txt', 'x'.repeat(1_048_577)));
    expect(large.status).toBe(413);
    expect((await ask('GET', '/knowledge-base')).body.pagination).toEqual(before);
  });
});

describe('uploaded file', () => {
  it('is extracted and found, with its own title, and can be deleted again', async () => {
    const kbId = await makeBase();
    const { status, body } = await send(kbId, 'Fähre.pdf', realDocument('ferry.pdf'));
    expect([status, body]).toEqual([
      201,
      {
        document_id: expect.any(Number),
        kb_id: kbId,
        name: 'Fähre.pdf',
        title: '',
        kind: 'pdf',
        bytes: 20_826,
        metadata: {},
        status: 'PENDING',
        failure_reason: null,
        passages: 0,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    const { document_id: id } = body;
    expect(await settled(kbId, id)).toMatchObject({
      status: 'INDEXED',
      title: 'Ferry guide',
      passages: 1,
    });
    expect((await find(kbId, 'How much do cars pay?'))[0]).toMatch(/Cars pay two hundred/);
    const list = (await ask('GET', `/knowledge-base/${kbId}/documents?limit=1&page=2`)).body;
    expect(list.items).toEqual([await documentOf(kbId, id)]);
    const whole = (await ask('GET', `/knowledge-base/${kbId}`)).body;
    expect(whole.documents[1].content).toMatch(/^# Ferry to Skarholm/);
    const path = `/knowledge-base/${kbId}/documents/${id}`;
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('DELETE', path)).body.code).toBe('DOCUMENT_NOT_FOUND');
    expect(await find(kbId, 'How much do cars pay?')).toEqual([]);
  });

  it('is extracted completely, in any number of parts', async () => {
    const kbId = await makeBase();
    const page = `<!--${'é'.repeat(300_000)}--><p>The sauna opens at noon.`;
    const { body } = await send(kbId, 'long.html', page);
    expect(await settled(kbId, body.document_id)).toMatchObject({
      bytes: Buffer.byteLength(page),
      passages: 1,
    });
    expect((await find(kbId, 'When does the sauna open?'))[0]).toBe('The sauna opens at noon.');
  });

  it('waits for a locked knowledge base without blocking the database', async () => {
    const kbId = await makeBase();
    const { db } = plane.database;
    const lock = await db.transaction();
    await lock('knowledge_bases').where({ kb_id: kbId }).forNoKeyUpdate().select('kb_id');
    const sent = Array.from({ length: 20 }, (_, i) => send(kbId, `${i}.txt`, `The bar ${i}.`));
    const waiting = async () => {
      const { rows } = await db.raw(
        `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0].count;
    };
    await expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThan(0);
    for (let i = 0; i < 20; i++) {
      expect((await ask('GET', `/knowledge-base/${kbId}/documents`)).status).toBe(200);
    }
    expect(await waiting()).toBeLessThan(5);
    await lock.commit();
    expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('that is unreadable fails with a reason, and others are indexed', async () => {
    const kbId = await makeBase();
    const bomb = await send(kbId, 'bomb.docx', await docxBomb(120_000_000));
    const rules = await send(kbId, 'rules.docx', realDocument('house-rules.docx'));
    expect(await settled(kbId, bomb.body.document_id)).toMatchObject({
      status: 'FAILED',
      failure_reason: 'The unpacked archive is too large',
    });
    expect(await settled(kbId, rules.body.document_id)).toMatchObject({ status: 'INDEXED' });
    const message = async () => (await ask('GET', `/knowledge-base/${kbId}`)).body.message;
    await expect
      .poll(message, { timeout: 50_000 })
      .toBe('ready: 2 passages, 1 document not indexed');
  });

  it('is rejected if it is empty, too large, of another type, or for an unknown knowledge base', async () => {
    const kbId = await makeBase();
    const refusalOf = async (name: string, bytes: string | Buffer, id = kbId) => {
      const { status, body } = await send(id, name, bytes);
      return [status, body.code ?? body.detail[0].msg];
    };
    expect(await refusalOf('a.txt', '')).toEqual([422, expect.stringMatching(/the file is empty/)]);
    expect(await refusalOf('a.txt', 'x'.repeat(1_100_000))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await refusalOf('a.zip', 'PK\x03\x04')).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(await refusalOf('a.txt', Buffer.from([1, 0, 2]))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
    expect(await refusalOf('a.txt', 'x', 2 ** 31 - 1)).toEqual([404, 'KNOWLEDGE_BASE_NOT_FOUND']);
    const otherAccount = await plane.asNewAccount();
    expect((await otherAccount('GET', `/knowledge-base/${kbId}/documents`)).status).toBe(404);
    expect((await otherAccount('DELETE', `/knowledge-base/${kbId}/documents/1`)).status).toBe(404);
  });

  it('of 200 MB is rejected before it is sent', async () => {
    const kbId = await makeBase();
    const key = await plane.makeKey(await plane.makeAccount());
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${plane.url}/api/v1/knowledge-base/${kbId}/documents`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': 200_000_000,
        },
      });
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('--x\r\n');
    });
    expect(status).toBe(413);
  });
});

describe('JSON documents', () => {
  it('may be HTML pages, whose text is used', async () => {
    const content =
      '<!doctype html><title>Bar</title><h1>Drinks</h1><p>Lemonade costs three euros.';
    const kbId = await makeBase({ documents: [{ content }] });
    const message = async () => (await ask('GET', `/knowledge-base/${kbId}`)).body.message;
    await expect.poll(message, { timeout: 50_000 }).toBe('ready: 1 passage');
    expect((await find(kbId, 'lemonade'))[0]).toMatch(/^Lemonade costs three euros/);
    expect((await ask('GET', `/knowledge-base/${kbId}`)).body.documents[0].content).toBe(content);
  });

  it('are found by words of their language', async () => {
    const kbId = await makeBase({
      documents: [
        { content: 'Die Schwimmbäder sind für die Gäste das ganze Jahr geöffnet.' },
        { content: 'Los perros pequeños están permitidos en las habitaciones de la casa.' },
      ],
    });
    const message = async () => (await ask('GET', `/knowledge-base/${kbId}`)).body.message;
    await expect.poll(message, { timeout: 50_000 }).toBe('ready: 2 passages');
    expect((await find(kbId, 'Schwimmbad'))[0]).toMatch(/^Die Schwimmbäder/);
    expect((await find(kbId, '¿Un perro en la habitación?'))[0]).toMatch(/^Los perros/);
  });

  it('are rejected for now if too many documents of the account are waiting', async () => {
    const kbId = await makeBase();
    const { rows } = await plane.database.db.raw(
      `insert into documents (kb_id, content, name, kind, file, file_bytes, claimed_until)
       values (?, '', 'huge.txt', 'text', 'x', ?, now() + interval '1 hour') returning id`,
      [kbId, 500 * 1_048_576],
    );
    const { status, body, headers } = await send(kbId, 'a.txt', 'The bar is open.');
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '30']);
    const id = rows[0].id;
    expect((await ask('DELETE', `/knowledge-base/${kbId}/documents/${id}`)).status).toBe(204);
    expect((await send(kbId, 'a.txt', 'The bar is open.')).status).toBe(201);
  });

  it('may be five thousand at once, and are all queued', async () => {
    const documents = Array.from({ length: 5_000 }, (_, i) => ({ content: `Locker ${i} is red.` }));
    const { status, body } = await ask('POST', '/knowledge-base', { documents });
    expect([status, body.document_count]).toEqual([201, 5_000]);
    const indexed = async () =>
      Number((await ask('GET', `/knowledge-base/${body.kb_id}`)).body.message.split(' ')[1]);
    await expect.poll(indexed, { timeout: 50_000 }).toBeGreaterThan(32);
    // Other accounts and the gateway are served meanwhile.
    expect((await ask('GET', '/knowledge-base')).status).toBe(200);
    expect((await ask('DELETE', `/knowledge-base/${body.kb_id}`)).status).toBe(204);
  });
});
