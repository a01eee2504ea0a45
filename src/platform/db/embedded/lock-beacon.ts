import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { basename, join } from 'node:path';
import { MAX_SOCKET_PATH_BYTES } from './socket-folder.js';

/**
 * A listening socket in a data folder. The kernel closes it when its process dies, however it dies,
 * so others on the same kernel can tell at once whether the process lives, from any container.
 */
export interface LockBeacon {
  /** The socket's file name; empty where no socket can be made in the folder. */
  readonly name: string;
  close(): Promise<void>;
}

/** Opens a beacon; a file system without sockets, or a path too long for one, gives an empty one. */
export async function openBeacon(folder: string): Promise<LockBeacon> {
  const none: LockBeacon = { name: '', close: async () => undefined };
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

/** Whether the process of a beacon on this kernel lives; undefined where the socket cannot say. */
export function isBeaconAlive(folder: string, name: string): Promise<boolean | undefined> {
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
      else resolve(error.code === 'EAGAIN' ? true : undefined); // EAGAIN: its queue is full
    });
  });
}

/** Removes what a dead process left of its beacon. */
export async function removeBeacon(folder: string, name: string): Promise<void> {
  if (name !== '') await rm(join(folder, basename(name)), { force: true });
}
