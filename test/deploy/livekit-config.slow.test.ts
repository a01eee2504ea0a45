import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/harness/process/free-port.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { ServerProcess } from '../support/harness/process/server-process.js';
import { type RedisServer, startRedisServer } from '../support/programs/redis-server.js';
import { DEPLOY } from './deploy-files.js';

/** Variables that compose.yaml adds. */
const ENVIRONMENT = {
  LIVEKIT_KEYS: `APIkey: ${'secret'.repeat(6)}`,
  LIVEKIT_WEBHOOK_API_KEY: 'APIkey',
  NODE_IP: '127.0.0.1',
};

describeWith(['livekit-server', 'redis-server'], 'livekit.yaml', (tools) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-livekit-yaml-'));
  const path = join(folder, 'livekit.yaml');
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    redis = await startRedisServer(tools['redis-server']);
  });
  afterAll(async () => {
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts LiveKit with the file, on free loopback ports. */
  async function start(change: (text: string) => string): Promise<ServerProcess> {
    const [port, udpPort] = await Promise.all([freePort(), freePort()]);
    const text = readFileSync(join(DEPLOY, 'livekit.yaml'), 'utf8');
    const replaced = text
      .replace('port: 7880', `port: ${port}\nbind_addresses: ["127.0.0.1"]`)
      .replace('udp_port: 7882', `udp_port: ${udpPort}\n  interfaces: { includes: [lo] }`)
      .replace('tcp_port: 7881', 'tcp_port: 0\n  enable_loopback_candidate: true')
      .replace('redis:6379', redis!.address);
    expect(replaced.split('\n')).toHaveLength(text.split('\n').length + 3);
    writeFileSync(path, change(replaced));
    return ServerProcess.start({
      command: tools['livekit-server'],
      args: ['--config', path],
      env: ENVIRONMENT,
      readyUrl: `http://127.0.0.1:${port}/`,
      readyWithinMs: 30_000,
    });
  }

  it('is accepted by LiveKit, with the keys from compose.yaml', async () => {
    const server = await start((text) => text);
    expect(server.logs()).toContain('starting LiveKit server');
    await server.kill();
  });

  it('is rejected with an unknown field', async () => {
    await expect(start((text) => text.replace('empty_timeout', 'empty_time'))).rejects.toThrow(
      /empty_time/,
    );
  });
});
