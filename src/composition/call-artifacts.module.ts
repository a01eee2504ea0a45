import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { MixdownThread } from '../../media/recording/mixdown-thread.js';
import { SpoolThread } from '../../media/recording/spool-thread.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { RecordingMixdown } from '../calls/recordings/mixdown.js';
import { SpoolFolder } from '../calls/recordings/recording-files.js';
import { RecordingsRepository } from '../calls/recordings/recordings.repository.js';
import { RecordingService } from '../calls/recordings/recordings.service.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import type { Config } from '../config/config.js';
import type { WebhookRecorder } from '../features/webhooks/webhook-events.js';
import { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import type { ObjectStore } from '../platform/storage/object-store.js';

export interface OpenRecordingsParts {
  readonly gatewayId: string;
  readonly config: Pick<Config, 'DATA_DIR' | 'RECORDING_CHANNELS' | 'MP3_ENCODER'>;
  readonly db: Knex;
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly store: ObjectStore;
  readonly events: WebhookRecorder;
  readonly scheduler: CpuScheduler;
  readonly log: Logger;
  /** How long a request waits for a merge; by default 20 s. */
  readonly mergedWithinMs?: number | undefined;
}

/** Puts together what records calls. */
export async function openRecordings(parts: OpenRecordingsParts): Promise<RecordingService> {
  const { gatewayId, config, calls, store, log } = parts;
  const recordings = new RecordingsRepository(parts.db, parts.events);
  const folder = await SpoolFolder.in(join(config.DATA_DIR, 'recordings'));
  const common = { gatewayId, recordings, store, folder, log };
  const merging = new RecordingMixdown({
    ...common,
    thread: new MixdownThread(parts.scheduler),
    channels: config.RECORDING_CHANNELS,
    mp3Program: config.MP3_ENCODER,
  });
  const { mergedWithinMs } = parts;
  return new RecordingService({
    ...common,
    gateways: new GatewaysRepository(parts.db),
    calls,
    spools: new SpoolThread(),
    merging,
    mergedWithinMs,
  });
}
