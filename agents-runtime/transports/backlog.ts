/** Largest backlog of a connection in bytes. A peer that exceeds it does not read, and is disconnected. */
export const MAX_BACKLOG_BYTES = 1024 * 1024;
