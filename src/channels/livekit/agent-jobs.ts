import { z } from 'zod';
import type {
  Assignment,
  WorkerState,
} from '../../../agents-runtime/transports/livekit/worker-connection.js';
import type {
  JobAnswer,
  WorkerJob,
} from '../../../agents-runtime/transports/livekit/worker-protocol.js';
import type { CallRegistry } from '../../calls/session/call-registry.js';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import { RoomCall, type RoomCallOutcome, type RoomCallParts } from './room-call.js';
import type { RoomClient } from './room-client.js';
import { callerIdentityOf, callOfRoom, callOfSid, roomOf } from './room-names.js';
import type { SipInbound } from './sip-inbound.js';

/** A job that was accepted but not assigned is dropped after this time. */
const ASSIGNMENT_TIMEOUT_MS = 15_000;
/**
 * Maximum of the reported load, from 0 to 1. LiveKit offers no jobs above its target load, which is 0.7
 * by default (livekit-server, agents.target_load). A gateway with free capacity stays below.
 */
const MAX_LOAD = 0.65;

/** The metadata of our jobs: the call of a client, or the agent of a caller from LiveKit SIP. */
const Metadata = z.union([
  z.object({ call_id: z.string().refine(isUuid) }),
  z.object({ account_id: z.string().min(1).max(100), agent_id: z.string().refine(isUuid) }),
]);

type JobMetadata =
  | { readonly type: 'call'; readonly callId: string }
  | { readonly type: 'agent'; readonly accountId: string; readonly agentId: string };

export interface AgentJobsParts extends Omit<RoomCallParts, 'phones' | 'live'> {
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly registry: Pick<CallRegistry, 'isDraining' | 'size' | 'get'>;
  /** Whether this gateway can take more calls. */
  readonly load: { readonly admitsCalls: boolean };
  readonly roomClient: Pick<RoomClient, 'closeRoom' | 'isDispatched'>;
  readonly sipInbound: Pick<SipInbound, 'isAcceptable' | 'reserve'>;
  /** `ws(s)://host[:port]` of LiveKit. */
  readonly url: string;
  readonly reportJob: (
    jobId: string,
    status: 'running' | 'success' | 'failed',
    why?: string,
  ) => void;
  /** Called when `state` has changed. */
  readonly onState: () => void;
}

/** A job that this gateway has accepted. */
interface AcceptedJob {
  readonly job: WorkerJob;
  readonly metadata: JobMetadata;
  readonly callId: string;
  call?: RoomCall;
  over?: Promise<void>;
}

/** The jobs that LiveKit assigns to this gateway. Each job is one call in one room. */
export class AgentJobs {
  readonly #parts: AgentJobsParts;
  readonly #jobs = new Map<string, AcceptedJob>();
  #isClosed = false;

  constructor(parts: AgentJobsParts) {
    this.#parts = parts;
  }

  get state(): WorkerState {
    const { registry, rooms } = this.#parts;
    const busy = Math.max(registry.size, this.#jobs.size);
    const load = MAX_LOAD * (busy / Math.max(1, busy + rooms.free));
    return { isFull: !this.#hasRoom(), load, jobs: this.#jobs.size };
  }

  /** Accepts or rejects a job. If its call has ended or is held, LiveKit must offer it to no other gateway. */
  async onAsked(job: WorkerJob): Promise<JobAnswer> {
    const metadata = readJobMetadata(job.metadata);
    const callId = metadata && callOf(job, metadata);
    if (!metadata || callId === undefined) return { type: 'never' };
    if (!this.#hasRoom()) return { type: 'no' };
    // Counted at once, so that two offers never get the last free slot.
    this.#jobs.set(job.id, { job, metadata, callId });
    this.#parts.onState();
    let isAcceptable = false;
    try {
      isAcceptable = await this.#isAcceptable(callId, metadata);
    } finally {
      if (!isAcceptable) this.#forget(job.id);
    }
    if (!isAcceptable) return { type: 'never' };
    setTimeout(() => this.#forgetUnassigned(job.id), ASSIGNMENT_TIMEOUT_MS).unref();
    return { type: 'yes', identity: `agent-${job.id}`, name: 'Agent' };
  }

  onAssigned({ jobId, url, token }: Assignment): void {
    const accepted = this.#jobs.get(jobId);
    if (!accepted || accepted.call || this.#isClosed) {
      this.#parts.reportJob(jobId, 'failed', 'This gateway has not accepted the job');
      return;
    }
    const { callId, metadata } = accepted;
    const isClient = metadata.type === 'call';
    const invitation = {
      callId,
      url: url ?? this.#parts.url,
      token,
      callerIdentity: isClient ? callerIdentityOf(callId) : undefined,
    };
    accepted.call = new RoomCall(this.#parts, invitation, isClient ? undefined : metadata);
    accepted.over = this.#hold(accepted, accepted.call);
  }

  /** LiveKit also terminates a job when the agent's connection breaks, and the agent may reconnect. */
  async onTerminated(jobId: string): Promise<void> {
    const accepted = this.#jobs.get(jobId);
    if (!accepted?.call) return;
    const { job, call } = accepted;
    const { roomClient } = this.#parts;
    if (call.hasBegun && (await roomClient.isDispatched(job.roomName, job.dispatchId))) return;
    call.leave('operator_ended');
  }

  /** Cancels calls that have not started, and waits for all rooms. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const jobs = [...this.#jobs.values()];
    for (const { call } of jobs) call?.leave('drained');
    await Promise.all(jobs.map(({ over }) => over));
  }

  #hasRoom(): boolean {
    const { registry, load, rooms } = this.#parts;
    const pending = [...this.#jobs.values()].filter(({ call }) => !call?.hasBegun).length;
    return !this.#isClosed && !registry.isDraining && load.admitsCalls && rooms.free > pending;
  }

  async #isAcceptable(callId: string, metadata: JobMetadata): Promise<boolean> {
    const { calls, sipInbound } = this.#parts;
    if (metadata.type === 'agent') return sipInbound.isAcceptable(callId, metadata);
    return (await calls.find(callId))?.state === 'reserved';
  }

  async #hold({ job, callId }: AcceptedJob, call: RoomCall): Promise<void> {
    const { reportJob, log, roomClient } = this.#parts;
    reportJob(job.id, 'running');
    let outcome: RoomCallOutcome = { notBegun: 'internal error of this gateway' };
    try {
      outcome = await call.hold();
    } catch (error) {
      log.error({ err: error, callId }, 'Error in a call in a LiveKit room');
    }
    const why = typeof outcome === 'string' ? undefined : outcome.notBegun;
    if (why !== undefined) log.warn({ callId, why }, 'A call in a LiveKit room did not begin');
    reportJob(job.id, why === undefined ? 'success' : 'failed', why);
    this.#forget(job.id);
    // Another gateway holds the call, so its room must stay.
    if (why === 'not_reserved') return;
    await roomClient.closeRoom(job.roomName).catch((error: unknown) => {
      log.warn({ err: error, callId }, 'Cannot close a LiveKit room');
    });
  }

  #forgetUnassigned(jobId: string): void {
    if (!this.#jobs.get(jobId)?.call) this.#forget(jobId);
  }

  #forget(jobId: string): void {
    if (this.#jobs.delete(jobId)) this.#parts.onState();
  }
}

/** The id of a job's call; undefined if the room does not match the call. */
function callOf({ roomName, roomSid }: WorkerJob, metadata: JobMetadata): string | undefined {
  if (metadata.type === 'agent') return callOfRoom(roomName, roomSid) ?? callOfSid(roomSid);
  return roomOf(metadata.callId) === roomName ? metadata.callId : undefined;
}

/** Undefined if the text is not from one of our dispatches. */
function readJobMetadata(text: string): JobMetadata | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined; // The dispatch is not ours.
  }
  const metadata = Metadata.safeParse(json).data;
  if (!metadata) return undefined;
  if ('call_id' in metadata) return { type: 'call', callId: metadata.call_id.toLowerCase() };
  return { type: 'agent', accountId: metadata.account_id, agentId: metadata.agent_id };
}
