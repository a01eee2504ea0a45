import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range of ephemeral ports, so that the system does not assign the port to others. */
const FIRST = 15_000;
const LAST = 31_999;

/** A currently unused TCP port on loopback. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
