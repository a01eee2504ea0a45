import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { LocalStore } from './local-store.js';
import type { ObjectStore } from './object-store.js';

type StoreSettings = Pick<
  Config,
  | 'DATA_DIR'
  | 'STORAGE_DIR'
  | 'S3_BUCKET'
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
  | 'S3_PATH_STYLE'
>;

/** The store that the settings name: a bucket, or a folder. */
export async function createObjectStore(config: StoreSettings): Promise<ObjectStore> {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = config;
  if (bucket === undefined) {
    return LocalStore.in(config.STORAGE_DIR ?? join(config.DATA_DIR, 'storage'));
  }
  // Half a second to load, which who has no bucket need not wait for.
  const { S3Store } = await import('./s3-store.js');
  return new S3Store({
    bucket,
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    isPathStyle: config.S3_PATH_STYLE,
    ...(id !== undefined &&
      secret !== undefined && { credentials: { accessKeyId: id, secretAccessKey: secret } }),
  });
}
