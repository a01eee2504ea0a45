import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileKey, spoolKey } from '../../../src/calls/recordings/recording-files.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { type ObjectStore, StorageError } from '../../../src/platform/storage/object-store.js';
import { S3Store } from '../../../src/platform/storage/s3-store.js';
import {
  AGENT_RATE,
  openRecordingGateway,
  type RecordingGateway,
  recordTones,
  untilSpooled,
} from '../../support/harness/app/recordings-app.js';
import { insertCall } from '../../support/harness/postgres/call-rows.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';
import { describeWith } from '../../support/harness/process/required-tools.js';
import { type S3Server, s3Options, startS3 } from '../../support/programs/s3-server.js';

const database = withDatabase();

async function endedCall(seconds = 2): Promise<string> {
  const { db } = database;
  const accountId = await new AccountsRepository(db).insert('An account of a test');
  return insertCall(db, { accountId, startedAt: new Date(), seconds });
}

async function prepare({ recordings }: RecordingGateway, callId: string) {
  return recordings.prepare((await new CallsRepository(database.db, 0).find(callId))!);
}

const spoolsOf = ({ dataDir }: RecordingGateway) =>
  readdirSync(join(dataDir, 'recordings')).filter((name) => name.endsWith('.spool'));

describeWith(['gofakes3'], 'gateways on two machines with one bucket', ({ gofakes3 }) => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3(gofakes3);
  });
  afterAll(() => server?.stop());

  it('share recordings, mix each down once, and delete them', async () => {
    const objectStore = new S3Store(s3Options(server.endpoint));
    const [one, two] = await Promise.all(
      [1, 2].map(() => openRecordingGateway(database.db, { objectStore })),
    );
    const callId = await endedCall();
    const sink = one!.recordings.begin(callId, AGENT_RATE);
    recordTones(sink, 2);
    sink.end(2_000);
    await untilSpooled(database.db, callId);
    expect(await Promise.all([prepare(two!, callId), prepare(one!, callId)])).toEqual([
      'ready',
      'ready',
    ]);
    expect(await objectStore.size(fileKey(callId))).toBeGreaterThan(10_000);
    expect(await objectStore.size(spoolKey(callId))).toBeUndefined();
    await expect.poll(() => [...spoolsOf(one!), ...spoolsOf(two!)]).toEqual([]);
    await two!.recordings.deleteRecording(callId);
    expect(await objectStore.size(fileKey(callId))).toBeUndefined();
    expect(await prepare(one!, callId)).toBe('not_recorded');
  });
});

/** A store with one method that fails while `isAway()` is true. */
function flawed(objectStore: ObjectStore, isAway: () => boolean): ObjectStore {
  const check = () => {
    if (isAway()) throw new StorageError('STORAGE_AWAY', 'The storage is unavailable');
  };
  return {
    putFile: async (...what) => {
      check();
      await objectStore.putFile(...what);
    },
    open: (...which) => objectStore.open(...which),
    size: async (key) => {
      check();
      return objectStore.size(key);
    },
    delete: (key) => objectStore.delete(key),
    list: (prefix) => objectStore.list(prefix),
  };
}

describe('unavailable storage', () => {
  it('loses no recording: the spool stays on disk until the storage is back', async () => {
    let isAway = true;
    const plain = await openRecordingGateway(database.db);
    const gateway = await openRecordingGateway(database.db, {
      dataDir: plain.dataDir,
      objectStore: flawed(plain.objectStore, () => isAway),
    });
    const callId = await endedCall();
    const sink = gateway.recordings.begin(callId, AGENT_RATE);
    recordTones(sink, 2);
    sink.end(2_000);
    await expect
      .poll(() => gateway.logged, { timeout: 30_000 })
      .toContain('Cannot store a recording yet');
    await expect(prepare(gateway, callId)).rejects.toMatchObject({ code: 'STORAGE_AWAY' });
    expect(spoolsOf(gateway)).toEqual([`${callId}.spool`]);
    isAway = false;
    expect(await prepare(gateway, callId)).toBe('ready');
    expect(spoolsOf(gateway)).toEqual([]);
  });
});

describe('mixdown that takes longer than a request', () => {
  it('continues, and a later request returns its result', async () => {
    const gateway = await openRecordingGateway(database.db, { mixdownTimeoutMs: 0 });
    const callId = await endedCall();
    const sink = gateway.recordings.begin(callId, AGENT_RATE);
    recordTones(sink, 2);
    sink.end(2_000);
    expect(await prepare(gateway, callId)).toBe('processing');
    // Only later requests get the file, however fast the mixdown is.
    const isMerged = () => gateway.objectStore.size(fileKey(callId));
    await expect.poll(isMerged, { timeout: 30_000 }).toBeDefined();
  });
});

describe('full disk', () => {
  it('ends the recording with one log message and affects nothing else', async ({ skip }) => {
    if (!existsSync('/dev/full')) skip('this machine has no /dev/full');
    const gateway = await openRecordingGateway(database.db);
    const callId = await endedCall();
    symlinkSync('/dev/full', join(gateway.dataDir, 'recordings', `${callId}.spool`));
    const sink = gateway.recordings.begin(callId, AGENT_RATE);
    await expect
      .poll(() => gateway.logged, { timeout: 30_000 })
      .toContain('The disk is full: the rest of the call is not recorded');
    recordTones(sink, 2);
    sink.end(2_000);
    expect(await prepare(gateway, callId)).toBe('not_recorded');
    expect(gateway.logged.filter((message) => message.startsWith('The disk'))).toHaveLength(1);
  });
});

describe('file in the spool folder', () => {
  it('is removed if its call or recording was deleted, and kept if it is no spool', async () => {
    const gateway = await openRecordingGateway(database.db);
    const folder = join(gateway.dataDir, 'recordings');
    const gone = randomUUID();
    writeFileSync(join(folder, `${gone}.spool`), 'of a call that was deleted');
    writeFileSync(join(folder, 'notes.txt'), 'somebody else’s');
    gateway.recordings.start();
    await expect.poll(() => spoolsOf(gateway), { timeout: 30_000 }).toEqual([]);
    expect(existsSync(join(folder, 'notes.txt'))).toBe(true);
    await gateway.recordings.close();
  });

  it('that is unreadable leaves a call without a recording', async () => {
    const gateway = await openRecordingGateway(database.db);
    const callId = await endedCall();
    await database.db('recordings').insert({ call_id: callId });
    writeFileSync(join(gateway.dataDir, 'recordings', `${callId}.spool`), Buffer.alloc(500, 1));
    expect(await prepare(gateway, callId)).toBe('not_recorded');
    expect(spoolsOf(gateway)).toEqual([]);
  });
});
