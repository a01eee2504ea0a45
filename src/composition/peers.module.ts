import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import { PeerClient } from '../platform/cluster/peer-client.js';
import { PeerServer } from '../platform/cluster/peer-server.js';
import { PeerKeys } from '../platform/cluster/peer-tls.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface PeersParts {
  readonly gatewayId: string;
  readonly db: Knex;
  readonly secrets: SecretKeys;
  readonly log: Logger;
}

/** The connections between gateways. */
export type Peers = ReturnType<typeof createPeers>;

export function createPeers({ gatewayId, db, secrets, log }: PeersParts) {
  const keys = new PeerKeys(secrets);
  return {
    gateways: new GatewaysRepository(db),
    client: new PeerClient(keys),
    server: new PeerServer({ gatewayId, keys, log }),
  };
}
