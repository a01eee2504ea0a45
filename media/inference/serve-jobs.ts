import { parentPort, type TransferListItem } from 'node:worker_threads';
import { MediaError } from '../errors.js';
import type { JobMap, JobReply, JobRequest } from './protocol.js';

/** What a job gives back, and the buffers in it that are handed over instead of copied. */
export interface JobResult<T> {
  readonly output: T;
  readonly transfer?: readonly TransferListItem[];
}

export type JobHandlers<Jobs extends JobMap> = {
  readonly [Type in keyof Jobs]: (
    input: Jobs[Type]['input'],
  ) => JobResult<Jobs[Type]['output']> | Promise<JobResult<Jobs[Type]['output']>>;
};

export interface ServeOptions {
  /** Begins each job as it comes, for jobs that wait for others; by default one follows the other. */
  readonly isParallel?: boolean;
}

/** Answers the jobs of a `WorkerThread`, inside its worker. */
export function serveJobs<Jobs extends JobMap>(
  handlers: JobHandlers<Jobs>,
  { isParallel = false }: ServeOptions = {},
): void {
  const port = parentPort;
  if (!port) throw new MediaError('INTERNAL', 'serveJobs runs in a worker thread only');
  let last: Promise<void> = Promise.resolve();
  port.on('message', (request: JobRequest) => {
    const serve = async () => {
      const reply = await answer(handlers, request);
      port.postMessage(reply.reply, reply.transfer);
    };
    if (isParallel) void serve();
    else last = last.then(serve);
  });
}

async function answer<Jobs extends JobMap>(
  handlers: JobHandlers<Jobs>,
  { id, type, input }: JobRequest,
): Promise<{ reply: JobReply; transfer: TransferListItem[] }> {
  try {
    const handler = handlers[type];
    if (!handler) throw new MediaError('INTERNAL', `No job is called ${type}`);
    const { output, transfer } = await handler(input as never);
    return { reply: { id, ok: true, output }, transfer: [...(transfer ?? [])] };
  } catch (error) {
    const code = error instanceof MediaError ? error.code : 'INTERNAL';
    const message = error instanceof Error ? error.message : String(error);
    return { reply: { id, ok: false, code, message }, transfer: [] };
  }
}
