import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../harness/process/free-port.js';

const require = createRequire(import.meta.url);
const PROGRAM = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const READY_WITHIN_MS = 30_000;

/** The reference server of the MCP project in a child process. */
export interface EverythingServer {
  readonly url: string;
  kill(): Promise<void>;
}

export async function startEverythingServer(
  transport: 'streamableHttp' | 'sse',
  port?: number,
): Promise<EverythingServer> {
  const at = port ?? (await freePort());
  const env = { PATH: process.env.PATH, PORT: String(at) };
  const child = spawn(process.execPath, [PROGRAM, transport], { env, stdio: 'ignore' });
  const dieWithUs = () => child.kill('SIGKILL');
  process.once('exit', dieWithUs);
  for (const until = Date.now() + READY_WITHIN_MS; !(await isOpen(at)); await sleep(50)) {
    if (Date.now() > until || child.exitCode !== null) throw new Error('The server did not start');
  }
  return {
    url: `http://127.0.0.1:${at}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    kill: async () => {
      const ended = once(child, 'exit');
      dieWithUs();
      if (child.exitCode === null && child.signalCode === null) await ended;
      process.off('exit', dieWithUs);
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
