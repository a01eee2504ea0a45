import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type ByteRange, type ObjectStore, StorageError } from './object-store.js';

/** Size of the parts of an upload. Few parts are sent at a time, so memory does not grow with the file. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const CONNECT_WITHIN_MS = 5_000;
const ANSWER_WITHIN_MS = 30_000;
/** Time without data after which a connection is closed. */
const IDLE_MS = 15_000;
/** Attempts per request. */
const TRIES = 3;

/** Services other than Amazon S3 lack these checksums, or send the checksum of the whole object for a part. */
const CHECKSUMS_OF_OTHERS = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

export interface S3Options {
  readonly bucket: string;
  /** URL of a service other than Amazon S3. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Default: the credentials of the machine's configuration. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Whether the bucket is in the path instead of the host name. */
  readonly isPathStyle: boolean;
  /** Milliseconds. Default: 30,000. */
  readonly answerWithinMs?: number;
}

/** Stores objects in a bucket of Amazon S3 or a compatible service. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(options: S3Options) {
    this.#bucket = options.bucket;
    const limitMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
    this.#client = new S3Client({
      region: options.region,
      forcePathStyle: options.isPathStyle,
      maxAttempts: TRIES,
      ...(options.endpoint && { endpoint: options.endpoint, ...CHECKSUMS_OF_OTHERS }),
      ...(options.credentials && { credentials: options.credentials }),
      requestHandler: {
        connectionTimeout: Math.min(CONNECT_WITHIN_MS, limitMs),
        requestTimeout: limitMs,
        throwOnRequestTimeout: true,
        socketTimeout: Math.min(IDLE_MS, limitMs),
      },
    });
  }

  /** Verifies the size after the upload. */
  async putFile(key: string, path: string): Promise<void> {
    const { size } = await stat(path);
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#object(key), Body: createReadStream(path) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    await asked(() => upload.done());
    const stored = await this.size(key);
    if (stored === size) return;
    throw new StorageError('STORAGE_AWAY', 'The storage has stored an incomplete file');
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    const command = new GetObjectCommand({ ...this.#object(key), ...part });
    const { Body: body } = await asked(() => this.#client.send(command));
    if (body) return body as Readable;
    throw new StorageError('NO_SUCH_OBJECT', 'The storage returned an object without a body');
  }

  async size(key: string): Promise<number | undefined> {
    try {
      const command = new HeadObjectCommand(this.#object(key));
      return (await asked(() => this.#client.send(command))).ContentLength;
    } catch (error) {
      if (error instanceof StorageError && error.code === 'NO_SUCH_OBJECT') return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await asked(() => this.#client.send(new DeleteObjectCommand(this.#object(key))));
  }

  async *list(prefix: string): AsyncIterable<string> {
    let next: string | undefined;
    do {
      const where = { Bucket: this.#bucket, Prefix: prefix, ContinuationToken: next };
      const page = await asked(() => this.#client.send(new ListObjectsV2Command(where)));
      for (const { Key: key } of page.Contents ?? []) if (key !== undefined) yield key;
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  #object(key: string) {
    return { Bucket: this.#bucket, Key: key };
  }
}

/** Converts errors of the client. @throws StorageError */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { name, $metadata } = error as {
      name?: string;
      $metadata?: { httpStatusCode?: number };
    };
    // A missing bucket is a fault of the settings, not a missing object.
    if (name !== 'NoSuchBucket' && (name === 'NoSuchKey' || $metadata?.httpStatusCode === 404)) {
      throw new StorageError('NO_SUCH_OBJECT', 'The object does not exist in the storage', {
        cause: error,
      });
    }
    throw new StorageError('STORAGE_AWAY', 'The storage is unavailable', { cause: error });
  }
}
