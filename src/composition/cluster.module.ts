import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { CallEventRecorder } from '../calls/history/call-event-recorder.js';
import { SummariesRepository } from '../calls/history/summaries.repository.js';
import { CallsRepository } from '../calls/store/calls.repository.js';
import type { Config } from '../config/config.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import { DeliveriesRepository } from '../features/webhooks/deliveries.repository.js';
import { WebhookOutbox } from '../features/webhooks/webhook-outbox.js';
import { ClusterPrimary } from '../platform/cluster/cluster-primary.js';
import type { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import { httpOrigin } from '../platform/http/public-origin.js';
import { SignedLinks } from '../platform/http/signed-links.js';
import type { Shutdown } from '../platform/process/shutdown.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface ClusterParts {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly db: Knex;
  readonly agents: AgentsRepository;
  readonly gateways: GatewaysRepository;
  readonly secrets: SecretKeys;
  /** The URL of `db`, for the gateways. */
  readonly databaseUrl: string;
  /** The port that all gateways share. */
  readonly port: number;
}

/** The primary process only ends calls; it reserves none. */
const NO_LIMIT = 0;

/** Runs GATEWAYS processes behind one port; resolves when all of them are ready. */
export async function createClusterModule(parts: ClusterParts): Promise<void> {
  const { config, log, shutdown, db, gateways, databaseUrl, port } = parts;
  const deliveries = new DeliveriesRepository(db);
  const events = new CallEventRecorder({
    events: new WebhookOutbox(parts.agents, deliveries),
    summaries: new SummariesRepository(db),
    links: new SignedLinks(parts.secrets),
    origin: () => httpOrigin(config, port),
  });
  const calls = new CallsRepository(db, NO_LIMIT, events);
  if (config.DATABASE_URL === undefined) {
    // No other process uses this database, so open calls and deliveries belong to a dead cluster.
    await gateways.removeAll();
    await deliveries.releaseAllClaims();
  }
  const primary = new ClusterPrimary({
    program: fileURLToPath(new URL('../main.js', import.meta.url)),
    environments: shares(config.CPU_PERMITS, config.GATEWAYS).map((permits, index) => ({
      GATEWAYS: '1',
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      DATABASE_URL_FILE: '',
      CPU_PERMITS: String(permits),
      GATEWAY_ADDRESS: addressOf(config.GATEWAY_ADDRESS, index),
    })),
    onGone: async (gatewayId) => {
      await calls.endAllOf(gatewayId, 'error_transport');
      await gateways.remove(gatewayId);
    },
    drainMs: config.DRAIN_SECONDS * 1_000,
    log,
  });
  shutdown.add('gateways', () => primary.stop());
  await primary.start();
  shutdown.throwIfRequested();
}

/** Gives each gateway a port: the configured one, then the next ones. */
function addressOf(address: string, index: number): string {
  return address.replace(/:(\d+)$/, (_, port) => `:${Number(port) + index}`);
}

/** Even shares of the CPU permits, at least one for each gateway. */
export function shares(permits: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const more = index < permits % count ? 1 : 0;
    return Math.max(1, Math.floor(permits / count) + more);
  });
}
