import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { pino } from 'pino';
import type { EndedReason } from '../../../../agents-runtime/contract/ended-reason.js';
import type { CallInput } from '../../../../agents-runtime/contract/transport.js';
import { DispatchThread } from '../../../../agents-runtime/transports/livekit/dispatch-thread.js';
import type {
  RoomConnector,
  RoomInvitation,
  RoomTransport,
} from '../../../../agents-runtime/transports/livekit/room-transport.js';
import { CallSlots } from '../../../../src/calls/admission/call-slots.js';
import { CallRegistry, type LiveCall } from '../../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../../src/calls/store/calls.repository.js';
import { AgentJobs } from '../../../../src/channels/livekit/agent-jobs.js';
import { liveKitAccess } from '../../../../src/channels/livekit/livekit-credentials.js';
import type { SessionClaimer } from '../../../../src/channels/livekit/room-call.js';
import { RoomClient } from '../../../../src/channels/livekit/room-client.js';
import { RoomTokens } from '../../../../src/channels/livekit/room-tokens.js';
import { SipInbound } from '../../../../src/channels/livekit/sip-inbound.js';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import { NumberOwnership } from '../../../../src/features/ownership/number-ownership.js';
import type { LiveKitServer } from '../process/livekit-server.js';

const log = pino({ level: 'silent' });

/** The LiveKit of a test as the settings name it. */
export function accessTo({ url, apiKey, apiSecret }: LiveKitServer) {
  const access = liveKitAccess({
    LIVEKIT_URL: url.replace('http', 'ws'),
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
  });
  if (!access) throw new Error('unreachable: all three are set');
  return access;
}

/** A gateway's part in LiveKit's dispatch, without media: rooms are joined by name only. */
export class RoomGateway {
  readonly id = randomUUID();
  readonly calls: CallsRepository;
  readonly live = new CallRegistry();
  /** Calls that are held here now, and those that were. */
  readonly held = new Set<string>();
  readonly served: string[] = [];
  /** How often LiveKit came and went. */
  readonly ups: string[] = [];
  readonly downs: string[] = [];
  /** The most that were held at once. */
  most = 0;
  readonly jobs: AgentJobs;
  readonly #worker: DispatchThread;
  readonly #capacity: number;
  readonly #hasCallerSubscribed: Promise<void>;

  /** @param hasCallerSubscribed when callers hear the agent */
  constructor(
    db: Knex,
    server: LiveKitServer,
    { capacity = 100, slots = 0, hasCallerSubscribed = Promise.resolve() } = {},
  ) {
    const access = accessTo(server);
    const calls = new CallsRepository(db, slots);
    const agents = new AgentsRepository(db);
    const load = { isOpen: true };
    this.calls = calls;
    this.#capacity = capacity;
    this.#hasCallerSubscribed = hasCallerSubscribed;
    const tokens = new RoomTokens(access);
    const { live } = this;
    const admission = new CallSlots({
      calls,
      registry: live,
      load,
      warmCaches: async () => undefined,
    });
    this.jobs = new AgentJobs({
      rooms: this.#rooms(),
      sessions: { claim: (callId) => this.#claim(callId) },
      calls,
      registry: live,
      load,
      roomClient: new RoomClient(access),
      sipInbound: new SipInbound({
        agents,
        calls,
        slots: admission,
        inbound: { optionsFor: async () => ({}) },
        numbers: new NumberOwnership(db),
      }),
      url: access.url,
      log,
      reportJob: (...told) => this.#worker.tellJob(...told),
      onState: () => this.#worker.tell(),
    });
    this.#worker = new DispatchThread({
      url: access.url,
      token: () => tokens.worker(),
      agentName: 'parley',
      state: () => this.jobs.state,
      onAsked: (job) => this.jobs.onAsked(job),
      onAssigned: (assignment) => this.jobs.onAssigned(assignment),
      onTerminated: (jobId) => void this.jobs.onTerminated(jobId),
      onUp: (version) => this.ups.push(version),
      onDown: (why) => this.downs.push(why),
      onFault: () => undefined,
    });
    this.#worker.start();
  }

  get isUp(): boolean {
    return this.#worker.isUp;
  }

  /** Ends a call that is held here. */
  async end(callId: string, reason: EndedReason = 'user_hangup'): Promise<void> {
    await this.live.get(callId)?.end(reason);
  }

  /** Takes no more calls. */
  drain(): void {
    void this.live.drain(0);
    this.#worker.tell();
  }

  async stop(): Promise<void> {
    for (const callId of this.held) await this.end(callId);
    await this.jobs.close();
    await this.#worker.close();
  }

  #rooms(): RoomConnector {
    const gateway = this;
    return {
      get free() {
        return gateway.#capacity - gateway.held.size;
      },
      join: async (invitation) => wireOf(invitation, gateway.#hasCallerSubscribed),
      close: async () => undefined,
    };
  }

  async #claim(callId: string): ReturnType<SessionClaimer['claim']> {
    if (this.live.isDraining) return 'draining';
    const row = await this.calls.claim(callId, this.id);
    if (row === undefined) return 'gone';
    if (typeof row === 'string') return row;
    return {
      cancel: () => this.calls.end(callId, 'error_transport'),
      start: (_transport, { onEnded }, startTransport) => {
        this.held.add(callId);
        this.served.push(callId);
        this.most = Math.max(this.most, this.held.size);
        const end = async (reason: EndedReason) => {
          if (!this.held.delete(callId)) return;
          this.live.remove(callId);
          await this.calls.end(callId, reason);
          onEnded?.(reason);
        };
        const call = { hangUp: (reason: EndedReason) => void end(reason) };
        this.live.add(callId, { call, end } as unknown as LiveCall);
        startTransport(call as CallInput);
      },
    };
  }
}

function wireOf(
  { callId, callerIdentity }: RoomInvitation,
  hasCallerSubscribed: Promise<void>,
): RoomTransport {
  const caller = { identity: callerIdentity ?? `sip_${callId}`, isPhone: !callerIdentity };
  const attributes = { 'sip.phoneNumber': '+15550111', 'sip.trunkPhoneNumber': '+15550100' };
  return {
    sampleRate: 48_000,
    hasEchoCanceller: true,
    canPause: true,
    callerDelayMs: 0,
    backlogBytes: 0,
    caller: { ...caller, attributes: caller.isPhone ? attributes : {} },
    hasCallerSubscribed,
    left: Promise.resolve(),
    start: () => undefined,
    sendAudio: () => undefined,
    pause: () => undefined,
    resumeFrom: () => undefined,
    clear: () => undefined,
    send: () => undefined,
    sendKeys: () => true,
    close: () => undefined,
  };
}
