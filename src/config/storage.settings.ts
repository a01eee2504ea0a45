import { z } from 'zod';
import { allOrNone, baseUrl, filePath, url } from './setting-types.js';

/** Database, caches, recordings and replay files. */
export const StorageSettings = z
  .object({
    DATA_DIR: filePath().prefault('./data').meta({
      description:
        'Folder of the embedded database, the first API key (`api-key`) and the secret (`secret-key`). These files have mode 0600.',
    }),
    DATABASE_URL: url(['postgres:', 'postgresql:'], 'a postgres:// URL').optional().meta({
      defaultText: 'embedded PostgreSQL',
      description: 'PostgreSQL server to use instead of the embedded one.',
    }),
    PARLEY_CACHE: filePath().optional().meta({
      defaultText: '`~/.cache/parley`',
      description: 'Root folder of all caches.',
    }),
    RECORDING_CHANNELS: z
      .enum(['1', '2'], { error: '1 or 2' })
      .transform((text): 1 | 2 => (text === '1' ? 1 : 2))
      .default(2)
      .meta({
        description:
          'Channels of a recording. `2`: caller on the left, agent on the right. `1`: both mixed.',
      }),
    STORAGE_DIR: filePath().optional().meta({
      defaultText: 'in `DATA_DIR`',
      description:
        'Folder of the recordings. Gateways on several machines need a shared folder or a bucket. Excludes `S3_BUCKET`.',
    }),
    S3_BUCKET: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "a bucket's name")
      .optional()
      .meta({
        description:
          'Bucket of the recordings in Amazon S3 or a compatible service, instead of a folder.',
      }),
    S3_ENDPOINT: baseUrl().optional().meta({
      defaultText: 'Amazon S3',
      description: 'URL of an S3-compatible service.',
    }),
    S3_REGION: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'a region such as eu-central-1')
      .default('us-east-1')
      .meta({ description: 'Region of the bucket.' }),
    S3_ACCESS_KEY_ID: z.string().optional().meta({
      defaultText: "the machine's own credentials",
      description: 'Access key that may write to the bucket.',
    }),
    S3_SECRET_ACCESS_KEY: z.string().optional().meta({
      defaultText: "the machine's own credentials",
      description: 'Secret of the access key.',
    }),
    S3_PATH_STYLE: z
      .enum(['true', 'false'], { error: 'true or false' })
      .transform((text) => text === 'true')
      .default(false)
      .meta({ description: '`true` for services that expect the bucket in the path of the URL.' }),
    REPLAY_DIR: filePath().optional().meta({
      description:
        "Folder for replay files of every call that may be recorded. A replay file contains the caller's audio and every word of the call until the call is deleted. Set it only to find a fault, with the callers' consent. Such calls do not use Deepgram, because the times of its results cannot be replayed. The other STT models are used instead.",
    }),
  })
  .refine(...allOrNone('S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'))
  .refine(
    ({ S3_BUCKET, STORAGE_DIR }) => S3_BUCKET === undefined || STORAGE_DIR === undefined,
    'S3_BUCKET and STORAGE_DIR exclude each other: set one',
  );
export type StorageSettings = z.output<typeof StorageSettings>;
