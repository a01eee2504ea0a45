/** The jobs that one kind of worker does: name → what goes in, what comes out (plain data only). */
export type JobMap = Record<string, { readonly input: unknown; readonly output: unknown }>;

export interface JobRequest {
  readonly id: number;
  readonly type: string;
  readonly input: unknown;
}

export type JobReply =
  | { readonly id: number; readonly ok: true; readonly output: unknown }
  | { readonly id: number; readonly ok: false; readonly code: string; readonly message: string };

/** Asks a worker to end its thread between two jobs. */
export const END_THREAD = 'end-thread';

/** A worker that does its jobs side by side sends it while it has some, as one of them may take long. */
export interface Heartbeat {
  readonly type: 'heartbeat';
}

export type WorkerMessage = JobReply | Heartbeat;
