import {
  AvailabilityResponse,
  type Job,
  JobStatus,
  JobType,
  ParticipantPermission,
  RegisterWorkerRequest,
  ServerMessage,
  UpdateJobStatus,
  UpdateWorkerStatus,
  WorkerMessage,
  WorkerPing,
  WorkerStatus,
} from '@livekit/protocol';
import { CallError } from '../../contract/errors.js';

/** Largest message in bytes. A job contains its room and the gateway's metadata. */
export const MAX_WORKER_MESSAGE = 256 * 1024;
/** Version of LiveKit's worker protocol. Source: livekit-server, pkg/agent/worker.go. */
export const WORKER_PROTOCOL = 1;

/** A request for an agent in a room. */
export interface WorkerJob {
  readonly id: string;
  readonly roomName: string;
  /** LiveKit's id of the room, unique for each use of the name. */
  readonly roomSid: string;
  readonly dispatchId: string;
  /** Metadata that the gateway's dispatch request contained. */
  readonly metadata: string;
}

/** A worker's answer to a job. After `never`, LiveKit does not ask other workers. */
export type JobAnswer =
  | { readonly type: 'yes'; readonly identity: string; readonly name: string }
  | { readonly type: 'no' | 'never' };

/** A message from a worker to LiveKit. */
export type ToLiveKit =
  | { readonly type: 'register'; readonly agentName: string; readonly pingIntervalS: number }
  /** @property load 0…1; LiveKit picks less loaded workers more often. */
  | {
      readonly type: 'status';
      readonly isFull: boolean;
      readonly load: number;
      readonly jobs: number;
    }
  | { readonly type: 'ping'; readonly timestampMs: number }
  | { readonly type: 'answer'; readonly jobId: string; readonly answer: JobAnswer }
  | {
      readonly type: 'job';
      readonly jobId: string;
      readonly status: 'running' | 'success' | 'failed';
      readonly error?: string | undefined;
    };

/** A message from LiveKit to a worker. */
export type FromLiveKit =
  | { readonly type: 'registered'; readonly workerId: string; readonly serverVersion: string }
  | { readonly type: 'asked'; readonly job: WorkerJob }
  | {
      readonly type: 'assigned';
      readonly jobId: string;
      /** Undefined: the server to which the worker is connected. */
      readonly url: string | undefined;
      readonly token: string;
    }
  | { readonly type: 'terminated'; readonly jobId: string }
  | { readonly type: 'pong' }
  /** A message of a newer server, or a job that is not a room. */
  | { readonly type: 'unknown' };

const JOB_STATUSES = {
  running: JobStatus.JS_RUNNING,
  success: JobStatus.JS_SUCCESS,
  failed: JobStatus.JS_FAILED,
} as const;

export function serialiseToLiveKit(message: ToLiveKit): Uint8Array {
  return new WorkerMessage({ message: toMessage(message) }).toBinary();
}

/** @throws CallError PROTOCOL for bytes that are not a message of LiveKit */
export function parseFromLiveKit(bytes: Uint8Array): FromLiveKit {
  const { message } = read(bytes);
  switch (message.case) {
    case 'register':
      return {
        type: 'registered',
        workerId: message.value.workerId,
        serverVersion: message.value.serverInfo?.version ?? '',
      };
    case 'availability':
      return asked(message.value.job);
    case 'assignment': {
      const { job, url, token } = message.value;
      return { type: 'assigned', jobId: job?.id ?? '', url: url || undefined, token };
    }
    case 'termination':
      return { type: 'terminated', jobId: message.value.jobId };
    case 'pong':
      return { type: 'pong' };
    default:
      return { type: 'unknown' };
  }
}

function asked(job: Job | undefined): FromLiveKit {
  if (job?.type !== JobType.JT_ROOM || !job.room) return { type: 'unknown' };
  const { id, dispatchId, metadata, room } = job;
  const { name: roomName, sid: roomSid } = room;
  return { type: 'asked', job: { id, dispatchId, metadata, roomName, roomSid } };
}

function read(bytes: Uint8Array): ServerMessage {
  try {
    return ServerMessage.fromBinary(bytes);
  } catch (cause) {
    throw new CallError('PROTOCOL', 'LiveKit sent an invalid worker message', { cause });
  }
}

function toMessage(message: ToLiveKit): WorkerMessage['message'] {
  switch (message.type) {
    case 'register':
      return { case: 'register', value: registration(message) };
    case 'status': {
      const status = message.isFull ? WorkerStatus.WS_FULL : WorkerStatus.WS_AVAILABLE;
      const { load, jobs: jobCount } = message;
      return { case: 'updateWorker', value: new UpdateWorkerStatus({ status, load, jobCount }) };
    }
    case 'ping':
      return {
        case: 'ping',
        value: new WorkerPing({ timestamp: BigInt(Math.round(message.timestampMs)) }),
      };
    case 'answer':
      return { case: 'availability', value: availability(message.jobId, message.answer) };
    case 'job': {
      const { jobId, error = '' } = message;
      const status = JOB_STATUSES[message.status];
      return { case: 'updateJob', value: new UpdateJobStatus({ jobId, status, error }) };
    }
  }
}

function registration({ agentName, pingIntervalS }: ToLiveKit & { type: 'register' }) {
  return new RegisterWorkerRequest({
    type: JobType.JT_ROOM,
    agentName,
    version: '1',
    pingInterval: pingIntervalS,
    allowedPermissions: new ParticipantPermission({
      canPublish: true,
      canSubscribe: true,
      canPublishData: true,
      canUpdateMetadata: true,
      // Without it LiveKit drops the transcripts that the agent publishes.
      agent: true,
    }),
  });
}

function availability(jobId: string, answer: JobAnswer): AvailabilityResponse {
  if (answer.type !== 'yes') {
    return new AvailabilityResponse({
      jobId,
      available: false,
      terminate: answer.type === 'never',
    });
  }
  return new AvailabilityResponse({
    jobId,
    available: true,
    participantIdentity: answer.identity,
    participantName: answer.name,
  });
}
