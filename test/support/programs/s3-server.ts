import { freePort } from '../harness/process/free-port.js';
import { ServerProcess } from '../harness/process/server-process.js';

const BUCKET = 'parley-tests';

/** A running server with the S3 protocol. */
export interface S3Server {
  readonly endpoint: string;
  stop(): Promise<unknown>;
}

/** Starts the optional program `gofakes3` (a path) with an empty bucket. */
export async function startS3(program: string): Promise<S3Server> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = await ServerProcess.start({
    command: program,
    args: ['-backend', 'memory', '-host', `127.0.0.1:${port}`, '-initialbucket', BUCKET],
    env: process.env,
    readyUrl: `${endpoint}/${BUCKET}`,
    readyWithinMs: 30_000,
  });
  return { endpoint, stop: () => server.kill() };
}

/** Storage options for the server. */
export const s3Options = (endpoint: string) => ({
  bucket: BUCKET,
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
  isPathStyle: true,
});
