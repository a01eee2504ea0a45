import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start } from '../../src/composition/container.js';
import { readConfig } from '../../src/config/config.js';
import { urlOf } from '../../src/platform/db/connect.js';
import { Shutdown } from '../../src/platform/process/shutdown.js';
import { withDatabase } from '../support/harness/postgres/test-database.js';
import { productEnv } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const database = withDatabase();
const workers: Worker[] = [];
const noteWorker = (worker: Worker) => void workers.push(worker);
/** Resources that keep the process running. */
const SERVERS_AND_CHILDREN = ['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap'];
const openServersAndChildren = () =>
  process.getActiveResourcesInfo().filter((name) => SERVERS_AND_CHILDREN.includes(name)).length;

const occupant = createServer();
beforeAll(async () => {
  process.on('worker', noteWorker);
  await once(occupant.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  process.off('worker', noteWorker);
  occupant.close();
});

it('closes every part if the port is taken', async () => {
  const before = openServersAndChildren();
  const config = readConfig(
    productEnv({
      PORT: String((occupant.address() as AddressInfo).port),
      DATA_DIR: makeTestFolder(),
      DATABASE_URL: urlOf(database.connection),
      LIVEKIT_URL: 'ws://127.0.0.1:9',
      LIVEKIT_API_KEY: 'key',
      LIVEKIT_API_SECRET: 'a secret of at least 32 characters',
      AUDIOSOCKET_PORT: '0',
      LOG_LEVEL: 'silent',
    }),
  );
  const shutdown = new Shutdown(30_000);
  // A worker of a cluster does not check its port before it loads the models.
  const worker = { report: () => undefined };
  const onFatal = (error: unknown) => {
    throw error;
  };
  await expect(start({ config, shutdown, worker, onFatal })).rejects.toThrow('Cannot listen on');
  expect(workers.length).toBeGreaterThan(0);
  expect(openServersAndChildren()).toBeGreaterThan(before);
  expect(await database.db('gateways').select('id')).toHaveLength(1);

  expect(await shutdown.close()).toBe(true);
  expect(await database.db('gateways').select('id')).toEqual([]);
  await expect.poll(() => workers.filter(({ threadId }) => threadId !== -1)).toEqual([]);
  await expect.poll(openServersAndChildren).toBe(before);
});
