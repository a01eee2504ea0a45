import { type MessagePort, parentPort, type TransferListItem } from 'node:worker_threads';
import { MediaError } from '../errors.js';
import {
  END_THREAD,
  type JobMap,
  type JobReply,
  type JobRequest,
  type WorkerHeartbeat,
} from './worker-protocol.js';

const HEARTBEAT: WorkerHeartbeat = { type: 'heartbeat' };
/** Interval in ms; a quarter of the shortest watchdog limit (2 s). */
const HEARTBEAT_MS = 500;

/** Output of a job and the buffers in it that are transferred instead of copied. */
export interface JobResult<T> {
  readonly output: T;
  readonly transfer?: readonly TransferListItem[];
}

/** One function for each job of a worker. */
export type JobHandlers<Jobs extends JobMap> = {
  readonly [Type in keyof Jobs]: (
    input: Jobs[Type]['input'],
  ) => JobResult<Jobs[Type]['output']> | Promise<JobResult<Jobs[Type]['output']>>;
};

/** Options of `serveJobs`. */
export interface ServeOptions {
  /** Starts each job on arrival, for jobs that wait for other machines. Default: false, one job after the other. */
  readonly isParallel?: boolean;
}

/**
 * Runs the jobs of a `WorkerThread`. Call it once in the script of the worker. An exception of a handler
 * rejects its job with the code of the MediaError, otherwise with INTERNAL.
 * @throws MediaError INTERNAL on the main thread
 */
export function serveJobs<Jobs extends JobMap>(
  handlers: JobHandlers<Jobs>,
  { isParallel = false }: ServeOptions = {},
): void {
  const port = parentPort;
  if (!port) throw new MediaError('INTERNAL', 'serveJobs must be called in a worker thread');
  let last: Promise<void> = Promise.resolve();
  let running = 0;
  let heartbeat: NodeJS.Timeout | undefined;
  port.on('message', (request: JobRequest | typeof END_THREAD) => {
    if (request === END_THREAD) process.exit();
    const serve = async () => {
      if (running++ === 0 && isParallel) heartbeat = startHeartbeat(port);
      const reply = await answer(handlers, request);
      if (--running === 0) clearInterval(heartbeat);
      port.postMessage(reply.reply, reply.transfer);
    };
    if (isParallel) void serve();
    else last = last.then(serve);
  });
}

/** A parallel job may wait for long without being hung. A thread with a blocked event loop sends no heartbeat. */
function startHeartbeat(port: MessagePort): NodeJS.Timeout {
  return setInterval(() => port.postMessage(HEARTBEAT), HEARTBEAT_MS).unref();
}

async function answer<Jobs extends JobMap>(
  handlers: JobHandlers<Jobs>,
  { id, type, input }: JobRequest,
): Promise<{ reply: JobReply; transfer: TransferListItem[] }> {
  try {
    const handler = handlers[type];
    if (!handler) throw new MediaError('INTERNAL', `The worker has no job ${type}`);
    const { output, transfer } = await handler(input as never);
    return { reply: { id, ok: true, output }, transfer: [...(transfer ?? [])] };
  } catch (error) {
    const code = error instanceof MediaError ? error.code : 'INTERNAL';
    const message = error instanceof Error ? error.message : String(error);
    return { reply: { id, ok: false, code, message }, transfer: [] };
  }
}
