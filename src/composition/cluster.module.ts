import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { CallCompletedEvents } from '../calls/history/call-completed-events.js';
import { SummariesRepository } from '../calls/history/summaries.repository.js';
import { CallsRepository } from '../calls/store/calls.repository.js';
import type { Config } from '../config/config.js';
import { DeliveriesRepository } from '../features/webhooks/deliveries.repository.js';
import { WebhookOutbox } from '../features/webhooks/webhook-outbox.js';
import { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import { ClusterPrimary } from '../platform/cluster/primary.js';
import { httpOrigin } from '../platform/http/public-origin.js';
import { SignedLinks } from '../platform/http/signed-links.js';
import type { Shutdown } from '../platform/process/shutdown.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface GroupNeeds {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly db: Knex;
  readonly secrets: SecretKeys;
  /** How the gateways reach the database that is open here. */
  readonly databaseUrl: string;
  /** Where they all listen. */
  readonly port: number;
}

/** Runs GATEWAYS gateways, each a process of its own, behind one port; resolves when all are ready. */
export async function openGroup(needs: GroupNeeds): Promise<void> {
  const { config, log, shutdown, db, databaseUrl, port } = needs;
  const deliveries = new DeliveriesRepository(db);
  const events = new CallCompletedEvents({
    events: new WebhookOutbox(deliveries),
    summaries: new SummariesRepository(db),
    links: new SignedLinks(needs.secrets),
    origin: () => httpOrigin(config, port),
  });
  const calls = new CallsRepository(db, 0, events);
  const gateways = new GatewaysRepository(db);
  if (config.DATABASE_URL === undefined) {
    // Nobody else is on this database: what is still open is a dead group's.
    await gateways.removeAll();
    await deliveries.releaseAllClaims();
  }
  const group = new ClusterPrimary({
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
  shutdown.add('gateways', () => group.stop());
  await group.start();
  shutdown.proceed();
}

/** Of a port that was chosen the gateways take the next ones, too. */
function addressOf(address: string, index: number): string {
  return address.replace(/:(\d+)$/, (_, port) => `:${Number(port) + index}`);
}

/** Shares of CPU permits: as even as can be, and at least one for each. */
export function shares(permits: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const more = index < permits % count ? 1 : 0;
    return Math.max(1, Math.floor(permits / count) + more);
  });
}
