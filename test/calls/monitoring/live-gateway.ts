import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { callCommandRoutes } from '../../../src/calls/commands/call-commands.routes.js';
import { CallCommandService } from '../../../src/calls/commands/call-commands.service.js';
import { peerCommands } from '../../../src/calls/commands/peer-commands.js';
import { CallTokens } from '../../../src/calls/connection/call-tokens.js';
import { toRunning } from '../../../src/calls/monitoring/live-event.js';
import type { CallFeed } from '../../../src/calls/monitoring/live-event-bus.js';
import {
  CallRegistry,
  type LiveCall,
  type PhoneControls,
} from '../../../src/calls/session/call-registry.js';
import { CallTurnsRepository } from '../../../src/calls/store/call-turns.repository.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import {
  createMonitoringModule,
  type MonitoringModule,
} from '../../../src/composition/monitoring.module.js';
import { createPeersModule } from '../../../src/composition/peers.module.js';
import { DialBlocklist } from '../../../src/features/phone-numbers/dial-blocklist.js';
import { GatewaysRepository } from '../../../src/platform/cluster/gateways.repository.js';
import type { Authenticator } from '../../../src/platform/http/bearer-credentials.js';
import type { Route } from '../../../src/platform/http/route.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';

export interface LiveTestCall {
  readonly callId: string;
  readonly feed: CallFeed;
}

/** A gateway's monitoring without media. Its calls exist by ID only. */
export class LiveGateway {
  readonly id = randomUUID();
  readonly calls: CallsRepository;
  readonly gateways: GatewaysRepository;
  readonly #peers: ReturnType<typeof createPeersModule>;
  readonly open: MonitoringModule;
  /** Texts that its calls were asked to say. */
  readonly spokenTexts: string[] = [];
  readonly #live = new CallRegistry();
  readonly #commands: CallCommandService;
  readonly #encoders: EncoderThread;
  readonly #secrets: SecretKeys;
  readonly #turns: CallTurnsRepository;
  readonly #keys: Authenticator;
  #address: string | undefined;

  constructor(db: Knex, authenticator: Authenticator, secret = 'the secret of all gateways') {
    // The encoder thread starts with the first listener.
    const encoders = new EncoderThread(new CpuScheduler(1));
    this.#encoders = encoders;
    const log = pino({ level: 'silent' });
    const gatewayId = this.id;
    this.calls = new CallsRepository(db, 0);
    this.#turns = new CallTurnsRepository(db, { record: async () => undefined });
    const secrets = new SecretKeys([secret]);
    this.#secrets = secrets;
    this.#keys = authenticator;
    this.#peers = createPeersModule({ gatewayId, db, secrets, log });
    this.gateways = new GatewaysRepository(db);
    this.open = createMonitoringModule({
      gatewayId,
      calls: this.calls,
      turns: this.#turns,
      ...this.#peers,
      gateways: this.gateways,
      authenticator,
      encoders,
      log,
      keepAliveMs: 50,
      keyCheckMs: 50,
      unreachableMs: 6_000,
    });
    const { peerClient: peers, peerServer } = this.#peers;
    const { calls, gateways } = this;
    this.#commands = new CallCommandService({ calls, gateways, peers, registry: this.#live, log });
    peerServer.addRoutes(peerCommands(this.#live));
  }

  get routes(): readonly Route[] {
    const commands = callCommandRoutes({
      calls: this.calls,
      commands: this.#commands,
      blocklist: new DialBlocklist(['+1900*']),
      tokens: new CallTokens(this.#secrets),
      authenticator: this.#keys,
    });
    return [...this.open.routes, ...commands];
  }

  async start(): Promise<void> {
    this.#address = await this.#peers.peerServer.listen('127.0.0.1');
    await this.gateways.heartbeat(this.id, this.#address);
  }

  /** Starts a call of an account here. @param phone controls of a phone call */
  async hold(accountId: string, phone?: PhoneControls): Promise<LiveTestCall> {
    const callId = randomUUID();
    const agent = { agentId: randomUUID(), agentName: 'Pool' };
    await this.calls.reserve({ callId, accountId, ...agent, callType: 'web', options: {} });
    const row = await this.calls.claim(callId, this.id);
    if (typeof row !== 'object') throw new Error('The call was not claimed');
    await this.calls.markStarted(callId);
    const say = (text: string) => {
      if (text === 'ending' || text === 'busy') return text;
      this.spokenTexts.push(text);
      return undefined;
    };
    this.#live.add(callId, { call: { say }, phone } as unknown as LiveCall);
    return { callId, feed: this.open.eventBus.begin(accountId, toRunning(row)) };
  }

  /** Ends a call in its record and its event feed. */
  async end({ callId, feed }: LiveTestCall): Promise<void> {
    await this.calls.end(callId, 'user_hangup');
    this.#live.remove(callId);
    feed.ended('user_hangup');
  }

  /** Stores a turn and publishes it. */
  async turn({ callId, feed }: LiveTestCall, index: number, text: string): Promise<void> {
    const turn = { index, role: 'user', text, cut: false, startMs: 0, endMs: 900 } as const;
    await this.#turns.save(callId, turn);
    feed.turn(turn);
  }

  /** Drops the connections of followers and restarts. */
  async restart(): Promise<void> {
    await this.close();
    this.#address = await this.#peers.peerServer.listen('127.0.0.1');
    await this.gateways.heartbeat(this.id, this.#address);
  }

  /** Closes its streams and its connections to other gateways. */
  async close(): Promise<void> {
    this.open.close();
    await this.#peers.peerServer.close();
  }

  async stop(): Promise<void> {
    await this.close();
    await this.#peers.closePeers();
    await this.#encoders.close();
  }
}
