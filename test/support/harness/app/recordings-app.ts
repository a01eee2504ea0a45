import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { type Logger, pino } from 'pino';
import { expect } from 'vitest';
import type { RecordingSink } from '../../../../agents-runtime/observers/recording/recording-sink.js';
import { SpoolThread } from '../../../../media/recording/spool-thread.js';
import { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import type { RecordingService } from '../../../../src/calls/recordings/recordings.service.js';
import { CallsRepository } from '../../../../src/calls/store/calls.repository.js';
import { createRecordings } from '../../../../src/composition/call-artifacts.module.js';
import type { WebhookEvent } from '../../../../src/features/webhooks/webhook-events.js';
import { GatewaysRepository } from '../../../../src/platform/cluster/gateways.repository.js';
import { LocalStore } from '../../../../src/platform/storage/local-store.js';
import type { ObjectStore } from '../../../../src/platform/storage/object-store.js';
import { makeTestFolder } from '../process/test-folder.js';

export interface RecordingGatewayOptions {
  readonly gatewayId?: string;
  readonly dataDir?: string;
  readonly objectStore?: ObjectStore;
  readonly channels?: 1 | 2;
  readonly mixdownTimeoutMs?: number;
}

/** The recording service of one gateway, on a database that others may share. */
export interface RecordingGateway {
  readonly gatewayId: string;
  readonly dataDir: string;
  readonly objectStore: ObjectStore;
  readonly recordings: RecordingService;
  /** Webhook events recorded for delivery. */
  readonly events: WebhookEvent[];
  /** Log messages. */
  readonly logged: string[];
}

/** Creates the recording service of a gateway. */
export async function openRecordingGateway(
  db: Knex,
  options: RecordingGatewayOptions = {},
): Promise<RecordingGateway> {
  const { gatewayId = randomUUID(), dataDir = makeTestFolder() } = options;
  const objectStore = options.objectStore ?? (await LocalStore.in(join(dataDir, 'storage')));
  const events: WebhookEvent[] = [];
  const logged: string[] = [];
  const recordings = await createRecordings({
    gatewayId,
    config: { DATA_DIR: dataDir, RECORDING_CHANNELS: options.channels ?? 2, MP3_ENCODER: 'wasm' },
    db,
    gateways: new GatewaysRepository(db),
    calls: new CallsRepository(db, 0),
    objectStore,
    events: { record: async (_, recorded) => void events.push(...recorded) },
    scheduler: new CpuScheduler(1),
    log: logInto(logged),
    mixdownTimeoutMs: options.mixdownTimeoutMs,
  });
  return { gatewayId, dataDir, objectStore, recordings, events, logged };
}

/** Waits until the recording has the state `spooled`, from which any gateway can mix it down. */
export async function untilSpooled(db: Knex, callId: string): Promise<void> {
  const state = async () => (await db('recordings').where({ call_id: callId }).first())?.state;
  await expect.poll(state, { timeout: 30_000 }).toBe('spooled');
}

/** Waits until the spool of a running call contains `durationMs` of audio. */
export async function untilWritten(
  { dataDir }: RecordingGateway,
  callId: string,
  durationMs: number,
): Promise<void> {
  const spools = new SpoolThread();
  const path = join(dataDir, 'recordings', `${callId}.spool`);
  await expect.poll(() => spools.durationOf(path).catch(() => 0)).toBe(durationMs);
  await spools.close();
}

/** Sample rate of the agent's leg in `recordTones`, in Hz. */
export const AGENT_RATE = 24_000;

/** Records `seconds` of a tone in each leg: 440 Hz from the caller, 1,000 Hz from the agent. */
export function recordTones(sink: RecordingSink, seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    const caller = Int16Array.from({ length: 16_000 }, (_, i) => 8_000 * Math.sin(i * 0.1728));
    const agent = Float32Array.from({ length: AGENT_RATE }, (_, i) => 0.25 * Math.sin(i * 0.2618));
    sink.write([
      { leg: 'caller', at: second * 16_000, samples: caller },
      { leg: 'agent', at: second * AGENT_RATE, samples: agent },
    ]);
  }
}

function logInto(logged: string[]): Logger {
  return pino(
    { level: 'info' },
    { write: (line: string) => void logged.push(String(JSON.parse(line).msg)) },
  );
}
