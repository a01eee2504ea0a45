import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { basename, join } from 'node:path';
import { MAX_SOCKET_PATH_BYTES } from './socket-folder.js';

/**
 * A listening socket in a data folder. The kernel closes it when the process dies, however it dies.
 * Other processes on the same kernel, also in other containers, can so detect at once whether the
 * process is alive.
 */
export interface LivenessSocket {
  /** File name; empty if the file system has no sockets or the path is too long for one. */
  readonly name: string;
  close(): Promise<void>;
}

export async function openLivenessSocket(folder: string): Promise<LivenessSocket> {
  const none: LivenessSocket = { name: '', close: async () => undefined };
  const name = `gateway.${randomUUID()}.sock`;
  const path = join(folder, name);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) return none;
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ path, exclusive: true });
    await once(server, 'listening');
  } catch {
    return none;
  }
  server.unref();
  return {
    name,
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(path, { force: true });
    },
  };
}

/**
 * Whether the process that opened a socket on this kernel is alive.
 * @returns `undefined` if the socket does not answer that
 */
export function isSocketOwnerAlive(folder: string, name: string): Promise<boolean | undefined> {
  const path = join(folder, basename(name));
  if (name === '' || Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    return Promise.resolve(undefined);
  }
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(false);
      else resolve(error.code === 'EAGAIN' ? true : undefined); // EAGAIN: the backlog is full
    });
  });
}

/** Removes the socket file of a dead process. */
export async function removeLivenessSocket(folder: string, name: string): Promise<void> {
  if (name !== '') await rm(join(folder, basename(name)), { force: true });
}
