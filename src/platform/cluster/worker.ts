import cluster from 'node:cluster';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FromGateway, ToGateway } from './ipc.js';
import { type HandedUpgrade, packUpgrade, unpackUpgrade } from './socket-handoff.js';

/** This process as one of several gateways behind one port: its side of the talk with the first. */
export class ClusterWorker {
  /** Undefined in a process that is no gateway of a group. */
  static ofThisProcess(): ClusterWorker | undefined {
    return cluster.isWorker ? new ClusterWorker() : undefined;
  }

  tell(message: FromGateway): void {
    // The first process is gone when this fails, and this one ends with it.
    if (process.connected) process.send?.(message);
  }

  /** Gives an upgrade to the gateway that can answer it. */
  handOn(gatewayId: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const message: FromGateway = {
      type: 'hand-on',
      gatewayId,
      request: packUpgrade(request, socket, head),
    };
    // Upgrades come from an HTTP server, and those have sockets of this kind.
    process.send?.(message, socket as Socket, {}, () => socket.destroy());
  }

  /** Hears of upgrades that other gateways handed on. */
  onUpgrade(listener: (upgrade: HandedUpgrade) => void): void {
    process.on('message', (message: ToGateway, socket: unknown) => {
      if (message.type !== 'take') return;
      const upgrade = unpackUpgrade(message.request, socket);
      if (upgrade) listener(upgrade);
    });
  }
}
