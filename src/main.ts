import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { start } from './composition/container.js';
import { type Config, readConfig } from './config/config.js';
import { StartError } from './config/start-error.js';
import { API_KEY_FILE } from './features/auth/first-account.js';
import { ClusterWorker } from './platform/cluster/cluster-worker.js';
import { hostInUrl } from './platform/http/public-origin.js';
import { announcementLines, faultSentence } from './platform/process/announcement.js';
import { Shutdown, StartCancelled } from './platform/process/shutdown.js';

/** Time that a signal waits for a start in progress. The time for closing follows. */
const START_ENDS_WITHIN_MS = 5_000;
/** Time for closing before the settings are read, and after a fault. */
const CLOSE_WITHIN_MS = 14_000;

const worker = ClusterWorker.ofThisProcess();
const shutdown = new Shutdown(CLOSE_WITHIN_MS);
const starting = startAndAnnounce();

async function startAndAnnounce(): Promise<void> {
  const config = readConfig(process.env);
  const onFatal = (error: unknown) => void fail(error);
  const { port, firstKey } = await start({ config, shutdown, worker, onFatal });
  if (worker) worker.report({ type: 'ready' });
  else announce(config, port, firstKey);
}

function announce(config: Config, port: number, firstKey: string | undefined): void {
  const lines = announcementLines({
    url: config.PUBLIC_URL ?? `http://${hostInUrl(config.HOST)}:${port}`,
    keyFile: join(config.DATA_DIR, API_KEY_FILE),
    firstKey,
    isTerminal: process.stdout.isTTY,
  });
  for (const line of lines) console.log(line);
}

/**
 * Prints the reason, closes everything within CLOSE_WITHIN_MS and exits with 1. Running calls may continue
 * for the part of that time that closing the rest does not need, 8 s.
 */
async function fail(error: unknown): Promise<void> {
  const sentence = faultSentence(error);
  // In a cluster, only the primary process prints.
  if (worker) worker.report({ type: 'failed', sentence });
  else console.error(sentence);
  shutdown.limitMs = Math.min(shutdown.limitMs, CLOSE_WITHIN_MS);
  await shutdown.close();
  process.exit(1);
}

/** Only the first signal counts: further ones do not interrupt closing. */
async function stop(): Promise<void> {
  if (shutdown.isRequested) return;
  shutdown.request();
  // A start in progress may still open parts, which must also be closed.
  await Promise.race([starting.catch(() => undefined), sleep(START_ENDS_WITHIN_MS)]);
  const isClean = await shutdown.close();
  process.exit(isClean ? 0 : 1);
}

process.on('SIGTERM', () => void stop());
// Ctrl-C reaches all processes of a cluster; the primary process stops the workers.
process.on('SIGINT', () => {
  if (!worker) void stop();
});
process.on('uncaughtException', (error) => {
  shutdown.log?.fatal({ err: error }, 'Uncaught exception: Parley stops');
  void fail(new StartError('Parley stops because of an internal error: see the log.'));
});

try {
  await starting;
} catch (error) {
  if (!(error instanceof StartCancelled)) await fail(error);
}
