import cluster from 'node:cluster';
import type { GatewayMessage } from './gateway-messages.js';

/** This process as a gateway of a cluster: reports to the primary process. */
export class ClusterWorker {
  /** Undefined in a process that is not a gateway of a cluster. */
  static ofThisProcess(): ClusterWorker | undefined {
    return cluster.isWorker ? new ClusterWorker() : undefined;
  }

  report(message: GatewayMessage): void {
    // If this fails, the primary process has ended, and this process ends, too.
    if (process.connected) process.send?.(message);
  }
}
