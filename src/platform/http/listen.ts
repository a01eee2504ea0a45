import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../config/start-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port: stop it, or set PORT to a free port (0 = any)',
  EACCES: 'the user of Parley may not use this port: set PORT to 1024 or more',
  EADDRNOTAVAIL: 'the address does not belong to this machine: set HOST to one of its addresses',
  ENOTFOUND: 'the host is unknown: set HOST to an address of this machine',
  EAI_AGAIN: 'the lookup of the host failed: set HOST to an address of this machine',
};

/**
 * Starts to listen, and returns the port.
 * @throws StartError with a remedy if the port or the address is not available.
 */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
    if (!reason) throw error;
    throw new StartError(`Cannot listen on ${host}:${port}: ${reason}.`, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}

/**
 * Checks whether `listen` can succeed, before models are loaded, which takes seconds. Returns the port.
 * @throws StartError as `listen` does.
 */
export async function tryListening(host: string, port: number): Promise<number> {
  const probe = createServer();
  const found = await listen(probe, host, port);
  await new Promise((resolve) => probe.close(resolve));
  return found;
}

/**
 * Accepts no more requests, and waits for running ones for at most `limitMs`. Then they are cut off.
 * Does nothing if the server does not listen.
 */
export async function stopListening(server: Server, limitMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const stopWaiting = new AbortController();
  const isLate = sleep(limitMs, true, { signal: stopWaiting.signal }).catch(() => false);
  if (await Promise.race([closed.then(() => false), isLate])) server.closeAllConnections();
  stopWaiting.abort();
  await closed;
}
