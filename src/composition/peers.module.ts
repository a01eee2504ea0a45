import type { Logger } from 'pino';
import { PeerClient } from '../platform/cluster/peer-client.js';
import { PeerServer } from '../platform/cluster/peer-server.js';
import { PeerKeys } from '../platform/cluster/peer-tls.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface PeersParts {
  readonly gatewayId: string;
  readonly secrets: SecretKeys;
  readonly log: Logger;
}

/** The connections between gateways. */
export function createPeersModule({ gatewayId, secrets, log }: PeersParts) {
  const keys = new PeerKeys(secrets);
  return {
    peerClient: new PeerClient(keys),
    peerServer: new PeerServer({ gatewayId, keys, log }),
  };
}
