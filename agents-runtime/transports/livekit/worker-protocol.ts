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

/** Longer messages are no job of ours, bytes: a job carries its room and our metadata, no more. */
export const MAX_WORKER_MESSAGE = 256 * 1024;
/** Version of LiveKit's worker protocol. Source: livekit-server, pkg/agent/worker.go. */
export const WORKER_PROTOCOL = 1;

/** A room in which an agent is wanted. */
export interface WorkerJob {
  readonly id: string;
  readonly roomName: string;
  /** LiveKit's own id of the room: another one each time that the name is used. */
  readonly roomSid: string;
  readonly dispatchId: string;
  /** What our dispatch has told the job. */
  readonly metadata: string;
}

/** How a worker answers to a job; `never` keeps LiveKit from asking other workers. */
export type JobAnswer =
  | { readonly type: 'yes'; readonly identity: string; readonly name: string }
  | { readonly type: 'no' | 'never' };

/** What a worker tells LiveKit. */
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

/** What LiveKit tells a worker. */
export type FromLiveKit =
  | { readonly type: 'registered'; readonly workerId: string; readonly serverVersion: string }
  | { readonly type: 'asked'; readonly job: WorkerJob }
  | {
      readonly type: 'assigned';
      readonly jobId: string;
      /** Missing: where the worker is connected. */
      readonly url: string | undefined;
      readonly token: string;
    }
  | { readonly type: 'terminated'; readonly jobId: string }
  | { readonly type: 'pong' }
  /** Of a newer server, or a job that is no room. */
  | { readonly type: 'unknown' };

const JOB_STATUSES = {
  running: JobStatus.JS_RUNNING,
  success: JobStatus.JS_SUCCESS,
  failed: JobStatus.JS_FAILED,
} as const;

export function serialiseToLiveKit(message: ToLiveKit): Uint8Array {
  return new WorkerMessage({ message: toMessage(message) }).toBinary();
}

/** @throws CallError PROTOCOL for bytes that are no message of LiveKit's. */
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
    throw new CallError('PROTOCOL', 'LiveKit sent what is no message to a worker', { cause });
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
