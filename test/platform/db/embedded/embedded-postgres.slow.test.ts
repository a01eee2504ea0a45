import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartError } from '../../../../src/config/start-error.js';
import { connect } from '../../../../src/platform/db/connect.js';
import {
  type EmbeddedDatabase,
  runningDatabase,
  startEmbeddedPostgres,
} from '../../../../src/platform/db/embedded/embedded-postgres.js';
import {
  commandLine,
  processStart,
} from '../../../../src/platform/db/embedded/process-identity.js';
import { stopLeftoverServer } from '../../../../src/platform/db/embedded/server-process.js';
import { DatabaseWriter, serverPid } from '../../../support/harness/process/embedded-server.js';
import { CACHE, makeTestFolder } from '../../../support/harness/process/test-folder.js';

// Servers are started, killed and recover.
vi.setConfig({ testTimeout: 90_000 });

const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;
/** When run as root, the dedicated user of the database. */
const SERVER_UID = IS_ROOT ? 65_521 : process.getuid?.();
const asServer = IS_ROOT ? { uid: SERVER_UID, gid: SERVER_UID } : {};

/** A data folder after a first start and stop; tests copy it instead of initialising a database. */
const template = makeTestFolder();
let dataDir: string;
let closers: (() => Promise<unknown>)[];
beforeAll(async () => {
  await (await startEmbeddedPostgres({ dataDir: template, cacheDir: CACHE })).stop();
});
afterAll(() => rm(template, { recursive: true, force: true }));
beforeEach(() => {
  dataDir = makeTestFolder();
  // `-a` keeps the owner, and `-H` follows a folder that root had to create elsewhere.
  const copy = ['-aH', join(template, 'postgres'), join(dataDir, 'postgres')];
  expect(spawnSync('cp', copy, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedDatabase & { readonly db: Knex }> {
  const database = await startEmbeddedPostgres({ dataDir, cacheDir: CACHE });
  const db = connect(database.connection);
  closers.push(database.stop, () => db.destroy());
  return { ...database, db };
}

async function writtenRows(db: Knex): Promise<number[]> {
  return db('written').orderBy('number').pluck('number');
}

describe.runIf(IS_ROOT)('embedded database of a gateway started by root', () => {
  /** Whether a process of this user can read the data or enter the socket folder. */
  function isOpenTo(uid: number, { connection }: EmbeddedDatabase): boolean {
    const command = ['-c', `cat ${dataDir}/postgres/PG_VERSION || ls ${connection.host}`];
    return spawnSync('/bin/sh', command, { uid, gid: uid, cwd: '/' }).status === 0;
  }

  it('is inaccessible to other processes of the user nobody', async () => {
    const database = await start();
    expect(statSync(`/proc/${serverPid(dataDir)}`).uid).toBe(SERVER_UID);
    expect(isOpenTo(NOBODY, database)).toBe(false);
    expect((await database.db.raw('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('is created for the dedicated user at the first start', async () => {
    await rm(join(dataDir, 'postgres'), { recursive: true });
    const database = await start();
    expect(isOpenTo(NOBODY, database)).toBe(false);
    expect(statSync(join(dataDir, 'postgres/base')).uid).toBe(SERVER_UID);
  });
});

describe('startEmbeddedPostgres', () => {
  it('listens on a socket that only its user can access, and on no port', async () => {
    const { connection, db } = await start();
    expect(statSync(connection.host).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(dataDir, 'postgres-socket'), 'utf8').trim()).toBe(connection.host);
    const { rows } = await db.raw(
      "select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync, datlocprovider as provider, datlocale as locale from pg_database where datname = current_database()",
    );
    expect(rows).toEqual([{ addresses: '', fsync: 'on', provider: 'b', locale: 'C.UTF-8' }]);
    expect(statSync(`/proc/${serverPid(dataDir)}`).uid).toBe(SERVER_UID);
  });

  it("does not pass the gateway's environment on to the server", async () => {
    process.env.SECRET_KEY = 'not for the database';
    await start();
    delete process.env.SECRET_KEY;
    const environment = readFileSync(`/proc/${serverPid(dataDir)}/environ`, 'utf8');
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('SECRET_KEY');
  });

  it('keeps its data across restarts, and leaves no process and no socket behind', async () => {
    const first = await start();
    await first.db.raw('create table kept as select 7 as number');
    const pid = serverPid(dataDir);
    await first.db.destroy();
    await Promise.all([first.stop(), first.stop()]);
    expect(processStart(pid)).toBeUndefined();
    expect(existsSync(first.connection.host)).toBe(false);
    const second = await start();
    expect(await second.db('kept').pluck('number')).toEqual([7]);
  });

  it('refuses a folder that a live gateway uses, without affecting that gateway', async () => {
    const { db } = await start();
    const second = startEmbeddedPostgres({ dataDir, cacheDir: CACHE });
    await expect(second).rejects.toThrow(StartError);
    await expect(second).rejects.toThrow(/set DATA_DIR to another folder\.$/);
    expect((await db.raw('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('creates the database, also after a first start was killed', async () => {
    await rm(join(dataDir, 'postgres'), { recursive: true });
    mkdirSync(join(dataDir, 'postgres.partial'));
    writeFileSync(join(dataDir, 'postgres.partial', 'PG_VERSION'), '18\n');
    const { db } = await start();
    expect((await db.raw('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('stores the files where its user has access if root starts it in a private folder', async ({
    skip,
  }) => {
    if (!IS_ROOT) skip('only root runs the database as another user');
    const closed = join(dataDir, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const open = makeTestFolder();
    closers.push(() => rm(open, { recursive: true }));
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const first = await startEmbeddedPostgres({ dataDir: closed, cacheDir: open, log });
    await first.stop();
    const files = realpathSync(join(closed, 'postgres'));
    expect(files.startsWith(join(open, 'databases'))).toBe(true);
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ folder: files, dataDir: closed }),
    );
    const second = await startEmbeddedPostgres({ dataDir: closed, cacheDir: open });
    await second.stop();
    expect(realpathSync(join(closed, 'postgres'))).toBe(files);
    await rm(files, { recursive: true });
    const third = startEmbeddedPostgres({ dataDir: closed, cacheDir: open });
    await expect(third).rejects.toThrow(/do not exist: restore them, or delete/);
  });

  it('refuses files of another major version of PostgreSQL and explains the upgrade', async () => {
    writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '17\n');
    const refusal = startEmbeddedPostgres({ dataDir, cacheDir: CACHE });
    await expect(refusal).rejects.toThrow(StartError);
    await expect(refusal).rejects.toThrow(
      /another major version of PostgreSQL: .*admin -- backup FILE.*admin -- restore FILE/,
    );
  });

  it('reports in one sentence that the folder cannot be created', async () => {
    writeFileSync(join(dataDir, 'file'), '');
    const below = startEmbeddedPostgres({ dataDir: join(dataDir, 'file/data'), cacheDir: CACHE });
    await expect(below).rejects.toThrow(StartError);
    await expect(below).rejects.toThrow(/not a directory.*set DATA_DIR to another folder\.$/);
  });

  it('reports in one sentence that the disk is full', async ({ skip }) => {
    const small = join(dataDir, 'small');
    mkdirSync(small);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=0755', 'none', small]);
    if (mounted.status !== 0) skip('it needs the right to mount a small file system');
    closers.push(async () => spawnSync('umount', ['-l', small]));
    const full = startEmbeddedPostgres({ dataDir: small, cacheDir: CACHE });
    await expect(full).rejects.toThrow(StartError);
    await expect(full).rejects.toThrow(/the disk is full: free some space and start again\.$/);
  });
});

describe('start after a SIGKILL', () => {
  it('of the gateway stops its server and keeps acknowledged data', async () => {
    const writer = await DatabaseWriter.start(dataDir);
    await writer.hasWritten(20);
    const pid = serverPid(dataDir);
    await writer.kill();
    const { db } = await start();
    expect(processStart(pid)).toBeUndefined();
    expect(await writtenRows(db)).toEqual(expect.arrayContaining(writer.acknowledged));
  });

  it('of the gateway ends its open transactions', async () => {
    const writer = await DatabaseWriter.start(dataDir);
    await writer.hasWritten(1);
    const killed = connect((await runningDatabase(dataDir))!);
    closers.push(() => killed.destroy());
    await killed.raw('create table held (id integer)');
    const transaction = await killed.transaction();
    await transaction.raw('lock table held');
    transaction.executionPromise.catch(() => undefined); // the restart ends it
    await writer.kill();
    const { db } = await start();
    await db.raw("set lock_timeout = '20s'; drop table held");
    await transaction.rollback().catch(() => undefined);
  });

  it('of both recovers all acknowledged data', async () => {
    const writer = await DatabaseWriter.start(dataDir);
    await writer.hasWritten(20);
    process.kill(serverPid(dataDir), 'SIGKILL');
    await writer.kill();
    const { db } = await start();
    expect(await writtenRows(db)).toEqual(expect.arrayContaining(writer.acknowledged));
  });

  it('of both ignores another process with the PID of the last server', async () => {
    const writer = await DatabaseWriter.start(dataDir);
    await writer.hasWritten(1);
    const pid = serverPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await writer.kill();
    const pidFile = join(dataDir, 'postgres/postmaster.pid');
    const bystander = spawn('sleep', ['60'], { ...asServer });
    closers.push(async () => bystander.kill());
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(bystander.pid)));
    const { db } = await start();
    expect(await writtenRows(db)).toEqual(expect.arrayContaining(writer.acknowledged));
    expect(bystander.exitCode).toBeNull();
  });

  it('of both does not take the next server for ready if it has the PID of the last one', async () => {
    const writer = await DatabaseWriter.start(dataDir);
    await writer.hasWritten(1);
    const pid = serverPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await writer.kill();
    // A test cannot choose the next server's PID, so it checks the file before the start.
    const data = realpathSync(join(dataDir, 'postgres'));
    await stopLeftoverServer(data);
    expect(serverPid(dataDir)).not.toBe(pid);
    expect(await writtenRows((await start()).db)).toEqual(
      expect.arrayContaining(writer.acknowledged),
    );
  });

  it('of the database alone restarts it for the existing pool', async () => {
    const { db } = await start();
    await db.raw('create table kept as select 7 as number');
    const pid = serverPid(dataDir);
    process.kill(pid, 'SIGKILL');
    const readAgain = async () => {
      const numbers = await db('kept').pluck('number');
      return serverPid(dataDir) === pid ? 'the old server' : numbers;
    };
    const outcome = () => readAgain().catch(() => 'no server');
    await expect.poll(outcome, { timeout: 50_000 }).toEqual([7]);
  });

  it('of the gateway stops a server that runs with other settings', async () => {
    const first = await start();
    const line = commandLine(serverPid(dataDir)).split(' ');
    await first.db.destroy();
    await first.stop();
    const [program = '', ...args] = line;
    const elsewhere = [
      '-c',
      'unix_socket_directories=/tmp',
      '-c',
      `port=${20_000 + (process.pid % 10_000)}`,
    ];
    const other = spawn(program, [...args, ...elsewhere], {
      ...asServer,
      cwd: '/',
      stdio: 'ignore',
    });
    await expect.poll(() => existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(true);
    const { db } = await start();
    if (other.exitCode === null) await once(other, 'exit');
    expect((await db.raw('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
