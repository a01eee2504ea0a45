import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { ChangeNotices } from '../platform/cluster/change-notices.js';
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
export function createPeersModule({ gatewayId, db, secrets, log }: PeersParts) {
  const keys = new PeerKeys(secrets);
  const peerServer = new PeerServer({ gatewayId, keys, log });
  const changes = new ChangeNotices(db, log);
  return {
    peerClient: new PeerClient(keys),
    peerServer,
    changes,
    async closePeers() {
      await peerServer.close();
      await changes.close();
    },
  };
}
