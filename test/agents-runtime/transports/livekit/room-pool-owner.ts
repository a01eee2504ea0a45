// A process that owns bridges to LiveKit and prints their process IDs, for tests of how they end.
import { BridgePool } from '../../../../agents-runtime/transports/livekit/bridge-pool.js';

const rooms = new BridgePool({ log: { info: () => undefined, warn: () => undefined } });
process.send?.(rooms.pids);
setInterval(() => undefined, 60_000);
