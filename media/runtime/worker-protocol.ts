/** The jobs of one kind of worker: input and output by name, plain data only. */
export type JobMap = Record<string, { readonly input: unknown; readonly output: unknown }>;

export interface JobRequest {
  readonly id: number;
  readonly type: string;
  readonly input: unknown;
}

export type JobReply =
  | { readonly id: number; readonly ok: true; readonly output: unknown }
  | { readonly id: number; readonly ok: false; readonly code: string; readonly message: string };

/** Message after which a worker ends its thread, between two jobs. */
export const END_THREAD = 'end-thread';

/** Sent regularly by a worker with parallel jobs while jobs run, because one of them may take long. */
export interface WorkerHeartbeat {
  readonly type: 'heartbeat';
}

export type WorkerMessage = JobReply | WorkerHeartbeat;
