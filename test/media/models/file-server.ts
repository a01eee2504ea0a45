import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A fault in the server's response to one request. */
export type ServerFault =
  | 'drop-midway'
  | 'ignore-range'
  | 'corrupt'
  | 'short'
  | 'too-long'
  | 'busy';

/** A server on loopback with Range support and a log, which injects faults into its responses. */
export interface FileServer {
  readonly base: string;
  /** One line per request: path and range. */
  readonly log: string[];
  /** One fault per request, in order; later requests are answered correctly. */
  readonly faults: ServerFault[];
  close(): Promise<void>;
}

export async function serveFiles(files: Readonly<Record<string, Buffer>>): Promise<FileServer> {
  const log: string[] = [];
  const faults: ServerFault[] = [];
  const server = createServer((request, response) => {
    const { range } = request.headers;
    log.push(`${request.url} ${range ?? 'whole'}`);
    const content = files[decodeURIComponent(request.url ?? '').slice(1)];
    if (content) answer(request, response, content, faults.shift());
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return {
    base: `http://127.0.0.1:${address.port}`,
    log,
    faults,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  faults: ServerFault | undefined,
): void {
  if (faults === 'busy') {
    response.writeHead(503).end();
    return;
  }
  const from = faults === 'ignore-range' ? 0 : startOf(request.headers.range);
  const body = changed(content.subarray(from), faults);
  const headers: Record<string, string | number> = { 'content-length': body.length };
  if (faults === 'drop-midway') headers['content-length'] = content.length - from;
  if (from > 0) headers['content-range'] = `bytes ${from}-${content.length - 1}/${content.length}`;
  response.writeHead(from > 0 ? 206 : 200, headers);
  if (faults !== 'drop-midway') response.end(body);
  else response.write(body, () => setTimeout(() => response.destroy(), 50));
}

function changed(body: Buffer, faults: ServerFault | undefined): Buffer {
  if (faults === 'drop-midway') return body.subarray(0, body.length >> 1);
  if (faults === 'short') return body.subarray(0, body.length - 1);
  if (faults === 'too-long') return Buffer.concat([body, Buffer.alloc(5)]);
  if (faults !== 'corrupt') return body;
  const copy = Buffer.from(body);
  copy[0] = (copy[0] ?? 0) ^ 1;
  return copy;
}

function startOf(range: string | undefined): number {
  return Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
}
