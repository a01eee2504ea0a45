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

/** The access settings of a test's LiveKit server. */
export function accessTo({ url, apiKey, apiSecret }: LiveKitServer) {
  const access = liveKitAccess({
    LIVEKIT_URL: url.replace('http', 'ws'),
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
  });
  if (!access) throw new Error('unreachable: all three are set');
  return access;
}

/** A gateway's part in LiveKit's job dispatch. It joins no room and processes no media. */
export class RoomGateway {
  readonly id = randomUUID();
  readonly calls: CallsRepository;
  readonly live = new CallRegistry();
  /** IDs of the calls in progress here; `served` lists all calls ever claimed. */
  readonly activeCallIds = new Set<string>();
  readonly claimedCallIds: string[] = [];
  /** Connections to LiveKit: server versions of `onUp`; `downs` lists the reasons of `onDown`. */
  readonly connectedVersions: string[] = [];
  readonly disconnectReasons: string[] = [];
  /** Maximum number of concurrent calls. */
  maxActiveCalls = 0;
  readonly jobs: AgentJobs;
  readonly #worker: DispatchThread;
  readonly #capacity: number;
  readonly #hasCallerSubscribed: Promise<void>;

  /** @param hasCallerSubscribed resolves when callers subscribe to the agent's track */
  constructor(
    db: Knex,
    server: LiveKitServer,
    { capacity = 100, slots = 0, hasCallerSubscribed = Promise.resolve() } = {},
  ) {
    const access = accessTo(server);
    const calls = new CallsRepository(db, slots);
    const agents = new AgentsRepository(db);
    const load = { admitsCalls: true };
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
        inboundWebhooks: { optionsFor: async () => ({}) },
        numbers: new NumberOwnership(db),
      }),
      url: access.url,
      log,
      reportJob: (...report) => this.#worker.reportJob(...report),
      onState: () => this.#worker.reportState(),
    });
    this.#worker = new DispatchThread({
      url: access.url,
      token: () => tokens.worker(),
      agentName: 'parley',
      state: () => this.jobs.state,
      onAsked: (job) => this.jobs.onAsked(job),
      onAssigned: (assignment) => this.jobs.onAssigned(assignment),
      onTerminated: (jobId) => void this.jobs.onTerminated(jobId),
      onUp: (version) => this.connectedVersions.push(version),
      onDown: (why) => this.disconnectReasons.push(why),
      onFault: () => undefined,
    });
    this.#worker.start();
  }

  get isUp(): boolean {
    return this.#worker.isUp;
  }

  /** Ends a call of this gateway. */
  async end(callId: string, reason: EndedReason = 'user_hangup'): Promise<void> {
    await this.live.get(callId)?.end(reason);
  }

  /** Stops accepting calls. */
  drain(): void {
    void this.live.drain(0);
    this.#worker.reportState();
  }

  async stop(): Promise<void> {
    for (const callId of this.activeCallIds) await this.end(callId);
    await this.jobs.close();
    await this.#worker.close();
  }

  #rooms(): RoomConnector {
    const gateway = this;
    return {
      get free() {
        return gateway.#capacity - gateway.activeCallIds.size;
      },
      join: async (invitation) => transportFor(invitation, gateway.#hasCallerSubscribed),
      close: async () => undefined,
    };
  }

  async #claim(callId: string): ReturnType<SessionClaimer['claim']> {
    if (this.live.isDraining) return 'draining';
    const row = await this.calls.claim(callId, this.id);
    if (row === undefined) return 'not_reserved';
    if (typeof row === 'string') return row;
    return {
      cancel: () => this.calls.end(callId, 'error_transport'),
      start: (_transport, { onEnded }, startTransport) => {
        this.activeCallIds.add(callId);
        this.claimedCallIds.push(callId);
        this.maxActiveCalls = Math.max(this.maxActiveCalls, this.activeCallIds.size);
        const end = async (reason: EndedReason) => {
          if (!this.activeCallIds.delete(callId)) return;
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

function transportFor(
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
