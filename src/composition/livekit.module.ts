import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { BridgePool } from '../../agents-runtime/transports/livekit/bridge-pool.js';
import { DispatchThread } from '../../agents-runtime/transports/livekit/dispatch-thread.js';
import { ROOM_RATE } from '../../agents-runtime/transports/livekit/ipc-messages.js';
import type { CallSlots } from '../calls/admission/call-slots.js';
import type { LiveKitRooms } from '../calls/connection/connection.service.js';
import type { CallRegistry } from '../calls/session/call-registry.js';
import type { CallSessionFactory } from '../calls/session/call-session.factory.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import { AgentJobs } from '../channels/livekit/agent-jobs.js';
import { liveKitWebhooks } from '../channels/livekit/livekit.webhooks.js';
import type { LiveKitAccess } from '../channels/livekit/livekit-credentials.js';
import { RoomClient } from '../channels/livekit/room-client.js';
import { RoomReaper } from '../channels/livekit/room-reaper.js';
import { AGENT_NAME, RoomTokens } from '../channels/livekit/room-tokens.js';
import { SipInbound } from '../channels/livekit/sip-inbound.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import type { NumberOwnership } from '../features/ownership/number-ownership.js';
import type { InboundWebhooks } from '../features/webhooks/inbound-call-webhook.js';
import type { HealthPart } from '../platform/observability/health.js';

export interface LiveKitParts {
  readonly access: LiveKitAccess;
  readonly sessions: CallSessionFactory;
  readonly slots: CallSlots;
  readonly calls: CallsRepository;
  readonly agents: AgentsRepository;
  readonly registry: CallRegistry;
  readonly load: { readonly admitsCalls: boolean };
  readonly inboundWebhooks: InboundWebhooks;
  readonly numbers: NumberOwnership;
  readonly log: Logger;
}

/** Calls in rooms of LiveKit. */
export interface LiveKitModule {
  readonly liveKitRooms: LiveKitRooms;
  readonly health: HealthPart;
  readonly webhooks: RequestHandler;
  /** Accepts no more jobs; running calls continue. */
  drain(): void;
  /** Call this after the calls have ended. */
  close(): Promise<void>;
}

/** Registers this gateway with LiveKit, and again after each interruption. */
export function createLiveKitModule(parts: LiveKitParts): LiveKitModule {
  const { access, calls, log } = parts;
  const rooms = new BridgePool({ log });
  const roomClient = new RoomClient(access);
  const tokens = new RoomTokens(access);
  const jobs: AgentJobs = new AgentJobs({
    ...parts,
    rooms,
    roomClient,
    url: access.url,
    sipInbound: new SipInbound(parts),
    reportJob: (...report) => worker.reportJob(...report),
    onState: () => worker.reportState(),
  });
  const worker = new DispatchThread({
    url: access.url,
    token: () => tokens.worker(),
    agentName: AGENT_NAME,
    state: () => jobs.state,
    onAsked: (job) => jobs.onAsked(job),
    onAssigned: (assignment) => jobs.onAssigned(assignment),
    onTerminated: (jobId) => {
      jobs.onTerminated(jobId).catch((error: unknown) => {
        log.warn({ err: error }, 'Cannot handle a job that LiveKit terminated');
      });
    },
    onUp: (version) => log.info({ version }, 'Registered with LiveKit'),
    onDown: (why) =>
      log.warn(
        { why },
        'LiveKit is unreachable: no calls arrive from it until the connection is back',
      ),
    onFault: (error) => log.warn({ err: error }, 'Error in the connection to LiveKit'),
  });
  const roomReaper = new RoomReaper({ roomClient, calls, log });
  worker.start();
  roomReaper.start();
  return {
    liveKitRooms: {
      url: access.url,
      sampleRate: ROOM_RATE,
      get isUp() {
        return worker.isUp;
      },
      token: (callId) => tokens.join(callId),
    },
    health: {
      name: 'livekit',
      isNeeded: false,
      check: async () => (worker.isUp ? 'up' : 'this gateway is not registered with LiveKit'),
    },
    webhooks: liveKitWebhooks({ access, calls, log }),
    drain: () => worker.reportState(),
    async close() {
      await jobs.close();
      await roomReaper.close();
      await worker.close();
      await rooms.close();
    },
  };
}
