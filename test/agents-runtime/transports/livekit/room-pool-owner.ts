// A process that has bridges to LiveKit, and says which: their ends are tested by its own.
import { BridgePool } from '../../../../agents-runtime/transports/livekit/bridge-pool.js';

const rooms = new BridgePool({ log: { info: () => undefined, warn: () => undefined } });
process.send?.(rooms.pids);
setInterval(() => undefined, 60_000);
