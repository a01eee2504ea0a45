import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  BoundedAudioWriter,
  MAX_WAITING,
} from '../../../../agents-runtime/transports/livekit/bridge/bounded-audio-writer.js';
import { BridgePool } from '../../../../agents-runtime/transports/livekit/bridge-pool.js';
import {
  IpcFrameReader,
  readGap,
} from '../../../../agents-runtime/transports/livekit/ipc-frames.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

const OWNER = fileURLToPath(new URL('./room-pool-owner.js', import.meta.url));

const quiet = { info: () => undefined, warn: () => undefined };
/** An address without a server. */
const NOWHERE = { callId: 'x', url: 'ws://127.0.0.1:9', token: 'a.b.c', callerIdentity: undefined };
const NEVER = new AbortController().signal;

/** Zombie processes count as ended. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  try {
    if (existsSync(stat) && /\) Z /.test(readFileSync(stat, 'utf8'))) return false;
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('bridge processes', () => {
  it('end with the gateway, however it ends', async () => {
    const owner = fork(OWNER, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const [pids] = (await once(owner, 'message')) as [number[]];
    expect(pids).toHaveLength(1);
    expect(isRunning(pids[0]!)).toBe(true);
    owner.kill('SIGKILL');
    await expect.poll(() => isRunning(pids[0]!)).toBe(false);
  });

  it('inherit only required environment variables, including trusted certificates', async ({
    skip,
  }) => {
    if (!existsSync('/proc/self/environ')) skip('only Linux shows the environment of a process');
    const { SSL_CERT_FILE: before } = process.env;
    Object.assign(process.env, { SECRET_KEY: 'not for bridges', SSL_CERT_FILE: '/own/ca.pem' });
    const pool = new BridgePool({ log: quiet });
    delete process.env.SECRET_KEY;
    delete process.env.SSL_CERT_FILE;
    if (before !== undefined) process.env.SSL_CERT_FILE = before;
    try {
      const read = () => readFileSync(`/proc/${pool.pids[0]}/environ`, 'utf8');
      // Empty while the system still prepares the process.
      await expect.poll(read).not.toBe('');
      const environment = read().split('\0');
      expect(environment).toContain('SSL_CERT_FILE=/own/ca.pem');
      expect(environment.join()).not.toContain('SECRET_KEY');
    } finally {
      await pool.close();
    }
  });

  it('are restarted when they die and end when the pool is closed', async () => {
    const logged: string[] = [];
    const log = { info: () => undefined, warn: (_: object, text: string) => logged.push(text) };
    const pool = new BridgePool({ log });
    const [first] = pool.pids;
    process.kill(first!, 'SIGKILL');
    await expect.poll(() => pool.pids.some((pid) => pid !== first)).toBe(true);
    expect(logged).toEqual(['a bridge process to LiveKit ended; another is started']);
    const [second] = pool.pids;
    await pool.close();
    expect([pool.free, isRunning(second!)]).toEqual([0, false]);
  });

  it('refuse rooms while they crash repeatedly', async () => {
    const clock = new VirtualClock();
    const pool = new BridgePool({ log: quiet, clock });
    const waitOptions = { timeout: 30_000, interval: 20 };
    const die = async () => {
      process.kill(pool.pids[0]!, 'SIGKILL');
      await expect.poll(() => pool.pids, waitOptions).toEqual([]);
    };
    try {
      for (const againMs of [500, 1_000]) {
        await die();
        expect(pool.free).toBeGreaterThan(0);
        clock.advance(againMs);
      }
      await die();
      expect(pool.free).toBe(0);
      await expect(pool.join(NOWHERE, NEVER)).rejects.toThrow('No room can be joined');
      clock.advance(2_000);
      expect(pool.free).toBeGreaterThan(0);
    } finally {
      await pool.close();
    }
  });

  it('are killed and replaced when they hang, and waiting joins fail', async () => {
    const pool = new BridgePool({ log: quiet, silentMs: 3_000 });
    try {
      const [first] = pool.pids;
      // The timeout applies after the start, which may take longer.
      await expect(pool.join(NOWHERE, NEVER)).rejects.toThrow('could not be joined');
      process.kill(first!, 'SIGSTOP');
      await expect(pool.join(NOWHERE, NEVER)).rejects.toThrow('its bridge died');
      expect(isRunning(first!)).toBe(false);
      await expect.poll(() => pool.pids.some((pid) => pid !== first)).toBe(true);
    } finally {
      await pool.close();
    }
  });

  it('are replaced after many rooms, and their successor starts first', async () => {
    const pool = new BridgePool({ log: quiet, maxServed: 2 });
    try {
      const [first] = pool.pids;
      await expect(pool.join(NOWHERE, NEVER)).rejects.toThrow('could not be joined');
      expect(pool.pids).toEqual([first]);
      const second = pool.join(NOWHERE, NEVER);
      expect(pool.pids).toHaveLength(2);
      await expect(second).rejects.toThrow('could not be joined');
      await expect.poll(() => pool.pids.includes(first!)).toBe(false);
      expect(pool.pids).toHaveLength(1);
      expect(pool.rooms).toBe(0);
    } finally {
      await pool.close();
    }
  });
});

describe('audio from the bridge to the gateway', () => {
  it('is dropped per room when the pipe is full, and reported as a gap of that duration', () => {
    const read: string[] = [];
    const reader = new IpcFrameReader();
    const connection = {
      writableLength: 0,
      write: (frame: Buffer) =>
        reader.push(frame, ({ kind, room, payload }) => {
          const length = kind === 'gap' ? readGap(payload) : payload.length / 2;
          read.push(`${room}: ${kind} ${length}`);
        }),
    };
    const callers = new BoundedAudioWriter(connection);
    callers.push(1, new Int16Array(320));
    connection.writableLength = MAX_WAITING + 1;
    callers.push(1, new Int16Array(320));
    callers.push(1, new Int16Array(320));
    callers.push(2, new Int16Array(320));
    callers.forget(2);
    connection.writableLength = MAX_WAITING;
    callers.push(2, new Int16Array(320));
    callers.push(1, new Int16Array(320));
    callers.push(1, new Int16Array(320));
    expect(read).toEqual([
      '1: audio 320',
      '2: audio 320',
      '1: gap 640',
      '1: audio 320',
      '1: audio 320',
    ]);
  });
});
