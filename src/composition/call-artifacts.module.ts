import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { MixdownThread } from '../../media/recording/mixdown-thread.js';
import { SpoolThread } from '../../media/recording/spool-thread.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { callArtifactRoutes } from '../calls/artifacts/call-artifacts.routes.js';
import { hasStreamingProvider } from '../calls/providers/stt-providers.js';
import { RecordingMixdown } from '../calls/recordings/mixdown.js';
import { SpoolFolder } from '../calls/recordings/recording-files.js';
import { RecordingsRepository } from '../calls/recordings/recordings.repository.js';
import { RecordingService } from '../calls/recordings/recordings.service.js';
import { ReplayFiles } from '../calls/recordings/replay-files.js';
import { deletionRoutes } from '../calls/retention/call-deletion.routes.js';
import {
  type CallDeletionParts,
  CallDeletionService,
} from '../calls/retention/call-deletion.service.js';
import { DeletionReceiptsRepository } from '../calls/retention/deletion-receipts.repository.js';
import { RetainedCallsRepository } from '../calls/retention/retained-calls.repository.js';
import { RetentionRepository } from '../calls/retention/retention.repository.js';
import { retentionRoutes } from '../calls/retention/retention.routes.js';
import { RetentionWorker } from '../calls/retention/retention.worker.js';
import type { CallTurnsRepository } from '../calls/store/call-turns.repository.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import type { Config } from '../config/config.js';
import type { StorageSettings } from '../config/storage.settings.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import type { WebhookRecorder } from '../features/webhooks/webhook-events.js';
import type { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import type { SignedLinks } from '../platform/http/signed-links.js';
import { LocalStore } from '../platform/storage/local-store.js';
import type { ObjectStore } from '../platform/storage/object-store.js';

export interface CallArtifactsParts extends Omit<RecordingParts, 'objectStore' | 'calls'> {
  readonly config: Config;
  readonly calls: CallsRepository;
  readonly turns: CallTurnsRepository;
  readonly agents: AgentsRepository;
  readonly links: SignedLinks;
  /** `http(s)://host[:port]`; undefined where no absolute URL is known. */
  readonly origin: () => string | undefined;
}

/** Recordings, transcripts and replay files of calls, and their retention. */
export async function createCallArtifactsModule(parts: CallArtifactsParts) {
  const { config, log } = parts;
  const replays = config.REPLAY_DIR ? await ReplayFiles.in(config.REPLAY_DIR, log) : undefined;
  if (replays && hasStreamingProvider(config)) {
    log.warn('REPLAY_DIR is set: calls with a replay file do not use streaming speech recognition');
  }
  const objectStore = await createObjectStore(config);
  const recordings = await createRecordings({ ...parts, objectStore });
  const retention = createRetention({ ...parts, recordings, replays });
  return {
    recordings,
    /** Undefined while REPLAY_DIR is not set. */
    replays,
    routes: [...retention.routes, ...callArtifactRoutes({ ...parts, recordings })],
    /** Starts the work on recordings and deletions, first those that an earlier process left. */
    start() {
      recordings.start();
      retention.worker.start();
    },
    async close() {
      await retention.worker.close();
      await recordings.close();
      await replays?.close();
    },
  };
}

/** The configured bucket or folder. */
async function createObjectStore(config: StorageSettings): Promise<ObjectStore> {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = config;
  if (bucket === undefined) {
    return LocalStore.in(config.STORAGE_DIR ?? join(config.DATA_DIR, 'storage'));
  }
  // Loading the S3 client takes half a second.
  const { S3Store } = await import('../platform/storage/s3-store.js');
  return new S3Store({
    bucket,
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    isPathStyle: config.S3_PATH_STYLE,
    ...(id !== undefined &&
      secret !== undefined && { credentials: { accessKeyId: id, secretAccessKey: secret } }),
  });
}

export interface RecordingParts {
  readonly gatewayId: string;
  readonly config: Pick<Config, 'DATA_DIR' | 'RECORDING_CHANNELS' | 'MP3_ENCODER'>;
  readonly db: Knex;
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly objectStore: ObjectStore;
  readonly gateways: GatewaysRepository;
  readonly events: WebhookRecorder;
  readonly scheduler: CpuScheduler;
  readonly log: Logger;
  /** How long a request waits for a mixdown, in milliseconds. Default: 20,000. */
  readonly mixdownTimeoutMs?: number | undefined;
}

/** The recordings of one gateway. */
export async function createRecordings(parts: RecordingParts): Promise<RecordingService> {
  const { gatewayId, config, gateways, calls, objectStore, log, mixdownTimeoutMs } = parts;
  const recordings = new RecordingsRepository(parts.db, parts.events);
  const folder = await SpoolFolder.in(join(config.DATA_DIR, 'recordings'));
  const common = { gatewayId, recordings, objectStore, folder, log };
  const mixdowns = new RecordingMixdown({
    ...common,
    thread: new MixdownThread(parts.scheduler),
    channels: config.RECORDING_CHANNELS,
    mp3Program: config.MP3_ENCODER,
  });
  const spools = new SpoolThread();
  return new RecordingService({ ...common, gateways, calls, spools, mixdowns, mixdownTimeoutMs });
}

export interface RetentionParts extends Pick<CallDeletionParts, 'recordings' | 'replays'> {
  readonly db: Knex;
  readonly agents: AgentsRepository;
  readonly log: Logger;
}

/** Retention policies, and the deletion of calls. */
export function createRetention({ db, agents, log, recordings, replays }: RetentionParts) {
  const policies = new RetentionRepository(db);
  const receipts = new DeletionReceiptsRepository(db);
  const calls = new RetainedCallsRepository(db);
  const deletion = new CallDeletionService({ calls, receipts, recordings, replays });
  return {
    worker: new RetentionWorker({ db, policies, calls, receipts, deletion, log }),
    routes: [...retentionRoutes({ policies, receipts, agents }), ...deletionRoutes(deletion)],
  };
}
