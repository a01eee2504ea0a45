/**
 * Largest backlog of a connection in bytes. A peer that exceeds it does not read, and is disconnected. This is a
 * last resort: playout stops sending at 256 KiB, and heartbeats disconnect a silent peer earlier.
 */
export const MAX_BACKLOG_BYTES = 1024 * 1024;
