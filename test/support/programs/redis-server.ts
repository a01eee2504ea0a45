import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../harness/process/free-port.js';

const READY_WITHIN_MS = 30_000;

export interface RedisServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Starts redis-server on loopback, without persistence.
 * @param binary path from the optional program `redis-server`
 */
export async function startRedisServer(binary: string): Promise<RedisServer> {
  const port = await freePort();
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const child = spawn(binary, options, { stdio: 'ignore', cwd: tmpdir() });
  const dieWithUs = () => child.kill('SIGKILL');
  process.once('exit', dieWithUs);
  const until = performance.now() + READY_WITHIN_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error('redis-server did not start');
    }
    await sleep(50);
  }
  const stop = async () => {
    process.off('exit', dieWithUs);
    await kill(child);
  };
  return { address: `127.0.0.1:${port}`, stop };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}
