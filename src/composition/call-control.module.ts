import type { Logger } from 'pino';
import { CallCommandService } from '../calls/commands/call-commands.service.js';
import { peerCommands } from '../calls/commands/peer-commands.js';
import { CallRegistry } from '../calls/session/call-registry.js';
import { GatewayFailover } from '../calls/session/gateway-failover.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import type { StorageSettings } from '../config/storage.settings.js';
import type { ChangeNotices } from '../platform/cluster/change-notices.js';
import type { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import type { PeerClient } from '../platform/cluster/peer-client.js';
import type { PeerServer } from '../platform/cluster/peer-server.js';

export interface CallControlParts {
  /** Identifies this process; new at each start. */
  readonly gatewayId: string;
  readonly config: StorageSettings;
  readonly calls: CallsRepository;
  readonly gateways: GatewaysRepository;
  readonly peerClient: PeerClient;
  readonly peerServer: PeerServer;
  readonly changes: ChangeNotices;
  /** `host:port` of this gateway for others; undefined where there can be no others. */
  readonly peerAddress: string | undefined;
  /** Called for a call that was ended before it began, because its telephone may be ringing. */
  readonly onReservedEnded: (callId: string) => Promise<unknown>;
  readonly log: Logger;
}

/** Registers this gateway; commands to calls on any gateway; the failover of gateways that died. */
export async function createCallControlModule(parts: CallControlParts) {
  const { config, calls, gateways, gatewayId, log } = parts;
  const registry = new CallRegistry();
  const commands = new CallCommandService({
    calls,
    gateways,
    peers: parts.peerClient,
    registry,
    log,
    onReservedEnded: (callId) => {
      parts
        .onReservedEnded(callId)
        .catch((error: unknown) =>
          log.warn(
            { err: error, callId },
            'Cannot stop the dialling of a call that was ended: the carrier may still ring',
          ),
        );
    },
  });
  parts.peerServer.addRoutes(peerCommands(registry));
  const stopWatching = commands.watchEndedCalls(parts.changes);
  const failover = new GatewayFailover({
    calls,
    gateways,
    gatewayId,
    address: parts.peerAddress,
    housekeeping: [() => commands.hangUpEnded()],
    log,
  });
  await failover.start({ isAlone: config.DATABASE_URL === undefined });
  return {
    registry,
    commands,
    /** Call this after the calls have ended. Deletes this gateway from the table of gateways. */
    async close() {
      stopWatching();
      await failover.stop();
    },
  };
}
