import {
  AvailabilityRequest,
  Job,
  JobAssignment,
  JobStatus,
  JobTermination,
  JobType,
  RegisterWorkerResponse,
  Room,
  ServerInfo,
  ServerMessage,
  WorkerMessage,
  WorkerPong,
  WorkerStatus,
} from '@livekit/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallError } from '../../../../agents-runtime/contract/errors.js';
import {
  parseFromLiveKit,
  serialiseToLiveKit,
  type ToLiveKit,
} from '../../../../agents-runtime/transports/livekit/worker-protocol.js';

const sent = (message: ToLiveKit) => WorkerMessage.fromBinary(serialiseToLiveKit(message)).message;
const decode = (message: ServerMessage['message']) =>
  parseFromLiveKit(new ServerMessage({ message }).toBinary());

const room = new Room({ name: 'call-1', sid: 'RM_1' });
const job = new Job({ id: 'AJ_1', dispatchId: 'AD_1', room, metadata: '{}', agentName: 'parley' });

describe('message from a worker to LiveKit', () => {
  it('registers for rooms with the permission to publish transcripts', () => {
    const { case: kind, value } = sent({ type: 'register', agentName: 'parley', pingIntervalS: 5 });
    expect(kind).toBe('register');
    expect(value).toMatchObject({
      type: JobType.JT_ROOM,
      agentName: 'parley',
      pingInterval: 5,
      allowedPermissions: { canPublish: true, canSubscribe: true, agent: true },
    });
  });

  it('reports the load and the state "full"', () => {
    const status = { type: 'status', load: 0.5, jobs: 3 } as const;
    expect(sent({ ...status, isFull: false }).value).toMatchObject({
      status: WorkerStatus.WS_AVAILABLE,
      load: 0.5,
      jobCount: 3,
    });
    expect(sent({ ...status, isFull: true }).value).toMatchObject({
      status: WorkerStatus.WS_FULL,
    });
  });

  it('accepts, declines or terminates a job', () => {
    const answer = (answer: (ToLiveKit & { type: 'answer' })['answer']) =>
      sent({ type: 'answer', jobId: 'AJ_1', answer }).value;
    expect(answer({ type: 'yes', identity: 'agent-1', name: 'Agent' })).toMatchObject({
      jobId: 'AJ_1',
      available: true,
      terminate: false,
      participantIdentity: 'agent-1',
    });
    expect(answer({ type: 'no' })).toMatchObject({ available: false, terminate: false });
    expect(answer({ type: 'never' })).toMatchObject({ available: false, terminate: true });
  });

  it('reports the result of a job', () => {
    const status = (status: 'running' | 'success' | 'failed') =>
      sent({ type: 'job', jobId: 'AJ_1', status, error: 'why' }).value;
    expect(status('running')).toMatchObject({ jobId: 'AJ_1', status: JobStatus.JS_RUNNING });
    expect(status('success')).toMatchObject({ status: JobStatus.JS_SUCCESS });
    expect(status('failed')).toMatchObject({ status: JobStatus.JS_FAILED, error: 'why' });
  });

  it('pings with whole milliseconds', () => {
    expect(sent({ type: 'ping', timestampMs: 12.6 }).value).toMatchObject({ timestamp: 13n });
  });
});

describe('message from LiveKit to a worker', () => {
  it('is decoded: registration, job, assignment, termination and pong', () => {
    const serverInfo = new ServerInfo({ version: '1.11.0' });
    const registered = new RegisterWorkerResponse({ workerId: 'AW_1', serverInfo });
    expect(decode({ case: 'register', value: registered })).toEqual({
      type: 'registered',
      workerId: 'AW_1',
      serverVersion: '1.11.0',
    });
    expect(decode({ case: 'availability', value: new AvailabilityRequest({ job }) })).toEqual({
      type: 'asked',
      job: {
        id: 'AJ_1',
        dispatchId: 'AD_1',
        roomName: 'call-1',
        roomSid: 'RM_1',
        metadata: '{}',
      },
    });
    const assigned = new JobAssignment({ job, token: 'a.b.c' });
    expect(decode({ case: 'assignment', value: assigned })).toEqual({
      type: 'assigned',
      jobId: 'AJ_1',
      url: undefined,
      token: 'a.b.c',
    });
    const over = new JobTermination({ jobId: 'AJ_1' });
    expect(decode({ case: 'termination', value: over })).toEqual({
      type: 'terminated',
      jobId: 'AJ_1',
    });
    expect(decode({ case: 'pong', value: new WorkerPong() })).toEqual({ type: 'pong' });
  });

  it('is no job if it is for a participant or names no room', () => {
    for (const odd of [
      new Job({ ...job, type: JobType.JT_PARTICIPANT }),
      new Job({ id: 'AJ_2' }),
      undefined,
    ]) {
      const value = new AvailabilityRequest(odd && { job: odd });
      expect(decode({ case: 'availability', value })).toEqual({ type: 'unknown' });
    }
    expect(decode({ case: undefined })).toEqual({ type: 'unknown' });
  });

  it('is decoded or refused with a code, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(parseFromLiveKit(bytes).type).toBeTypeOf('string');
        } catch (error) {
          expect(error).toBeInstanceOf(CallError);
          expect((error as CallError).code).toBe('PROTOCOL');
        }
      }),
    );
    expect(() => parseFromLiveKit(Uint8Array.of(0x0a, 0xff))).toThrow(CallError);
  });
});
