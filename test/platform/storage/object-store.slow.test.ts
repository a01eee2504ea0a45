import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalStore } from '../../../src/platform/storage/local-store.js';
import type { ByteRange, ObjectStore } from '../../../src/platform/storage/object-store.js';
import { S3Store } from '../../../src/platform/storage/s3-store.js';
import { describeWith } from '../../support/harness/process/required-tools.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';
import { type S3Server, s3Options, startS3 } from '../../support/programs/s3-server.js';

const folder = makeTestFolder();
let files = 0;

function file(bytes: Buffer): string {
  const path = join(folder, `${++files}.bin`);
  writeFileSync(path, bytes);
  return path;
}

async function read(objectStore: ObjectStore, key: string, range?: ByteRange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await objectStore.open(key, range)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function keys(objectStore: ObjectStore, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of objectStore.list(prefix)) found.push(key);
  return found.sort();
}

/** Behaviour of every store. */
function behavesLikeAStore(open: () => Promise<ObjectStore>): void {
  it('returns what was stored, completely and in ranges', async () => {
    const objectStore = await open();
    const bytes = randomBytes(300_000);
    await objectStore.putFile('a/one.bin', file(bytes));
    expect(await objectStore.size('a/one.bin')).toBe(300_000);
    expect((await read(objectStore, 'a/one.bin')).equals(bytes)).toBe(true);
    const part = await read(objectStore, 'a/one.bin', { start: 1_000, end: 1_999 });
    expect(part.equals(bytes.subarray(1_000, 2_000))).toBe(true);
    const last = await read(objectStore, 'a/one.bin', { start: 299_999, end: 299_999 });
    expect(last.equals(bytes.subarray(299_999))).toBe(true);
  });

  it('accepts a multi-part file', async () => {
    const objectStore = await open();
    const bytes = randomBytes(18 * 1024 * 1024);
    await objectStore.putFile('a/large.bin', file(bytes));
    expect((await read(objectStore, 'a/large.bin')).equals(bytes)).toBe(true);
  });

  it('replaces an existing file', async () => {
    const objectStore = await open();
    await objectStore.putFile('a/two.bin', file(Buffer.from('first')));
    await objectStore.putFile('a/two.bin', file(Buffer.from('the second')));
    expect((await read(objectStore, 'a/two.bin')).toString()).toBe('the second');
  });

  it('lists by prefix, without deleted files', async () => {
    const objectStore = await open();
    for (const key of ['b/1', 'b/2', 'c/1']) await objectStore.putFile(key, file(Buffer.from(key)));
    expect(await keys(objectStore, 'b/')).toEqual(['b/1', 'b/2']);
    await objectStore.delete('b/1');
    await objectStore.delete('b/1');
    expect(await keys(objectStore, 'b/')).toEqual(['b/2']);
    expect(await keys(objectStore, 'nothing/')).toEqual([]);
  });

  it('reports missing files', async () => {
    const objectStore = await open();
    expect(await objectStore.size('d/none')).toBeUndefined();
    await expect(objectStore.open('d/none')).rejects.toMatchObject({ code: 'NO_SUCH_OBJECT' });
  });
}

describe('folder store', () => {
  behavesLikeAStore(() => LocalStore.in(join(folder, 'store')));

  it('reports that it cannot be written', async () => {
    const objectStore = await LocalStore.in(join(folder, 'broken'));
    writeFileSync(join(folder, 'broken/a'), 'a file where a folder should be');
    await expect(objectStore.putFile('a/b', file(Buffer.from('x')))).rejects.toMatchObject({
      name: 'StorageError',
    });
  });
});

describeWith(['gofakes3'], 'bucket store', ({ gofakes3 }) => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3(gofakes3);
  });
  afterAll(() => server?.stop());

  behavesLikeAStore(async () => new S3Store(s3Options(server.endpoint)));

  it('distinguishes a missing folder from an empty one', async () => {
    const objectStore = new S3Store({ ...s3Options(server.endpoint), bucket: 'no-such-bucket' });
    await expect(objectStore.putFile('a', file(Buffer.from('x')))).rejects.toMatchObject({
      code: 'STORAGE_AWAY',
    });
  });
});

describe('faulty storage service', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  const serviceThat = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    servers.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    return new S3Store({ ...s3Options(`http://127.0.0.1:${port}`), answerWithinMs: 300 });
  };

  it('that never responds causes a timeout', async () => {
    const objectStore = await serviceThat(() => undefined);
    await expect(objectStore.size('a')).rejects.toMatchObject({ code: 'STORAGE_AWAY' });
    await expect(objectStore.putFile('a', file(Buffer.from('x')))).rejects.toMatchObject({
      code: 'STORAGE_AWAY',
    });
  });

  it('that stores less than it received causes an error', async () => {
    const objectStore = await serviceThat((request, response) => {
      request.resume();
      response.setHeader('content-length', request.method === 'HEAD' ? 3 : 0);
      response.end();
    });
    await expect(objectStore.putFile('a', file(Buffer.from('12345')))).rejects.toThrow(
      'an incomplete',
    );
  });

  it('that aborts a response causes an error instead of a truncated file', async () => {
    const objectStore = await serviceThat((_, response) => {
      response.setHeader('content-length', 1_000);
      response.write('the beginning');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(read(objectStore, 'a')).rejects.toThrow();
  });

  it('that is full or denies access causes an error that says so', async () => {
    const objectStore = await serviceThat((_, response) => {
      response.statusCode = 403;
      response.end('<Error><Code>AccessDenied</Code></Error>');
    });
    await expect(objectStore.delete('a')).rejects.toMatchObject({ code: 'STORAGE_AWAY' });
  });
});
