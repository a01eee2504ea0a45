import type { Assignment, WorkerState } from './worker-connection.js';
import type { JobAnswer, WorkerJob } from './worker-protocol.js';

export interface DispatchThreadData {
  /** `ws(s)://host[:port]` of the LiveKit server. */
  readonly url: string;
  readonly agentName: string;
}

/** From the main thread to the thread of the connection to LiveKit's dispatch. */
export type ToDispatch =
  /** Sent once a second, even if unchanged, as a heartbeat of the main thread. */
  | { readonly type: 'state'; readonly state: WorkerState }
  | { readonly type: 'answer'; readonly id: number; readonly answer: JobAnswer }
  | { readonly type: 'token'; readonly id: number; readonly token: string | undefined }
  | {
      readonly type: 'job';
      readonly jobId: string;
      readonly status: 'running' | 'success' | 'failed';
      readonly error: string | undefined;
    }
  | { readonly type: 'close' };

/** From that thread to the main thread. */
export type FromDispatch =
  | { readonly type: 'token-wanted'; readonly id: number }
  | { readonly type: 'asked'; readonly id: number; readonly job: WorkerJob }
  | { readonly type: 'assigned'; readonly assignment: Assignment }
  | { readonly type: 'terminated'; readonly jobId: string }
  | { readonly type: 'up'; readonly serverVersion: string }
  | { readonly type: 'down'; readonly why: string }
  | { readonly type: 'fault'; readonly error: unknown };
