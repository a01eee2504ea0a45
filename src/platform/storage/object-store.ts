import type { Readable } from 'node:stream';

/** A part of an object: both ends belong to it, bytes from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Where files that outlive a gateway lie. Keys are words of `a-z 0-9 . _ -`, parted by slashes. */
export interface ObjectStore {
  /** Stores a file under a key, whole or not at all; what was there is replaced. */
  putFile(key: string, path: string): Promise<void>;
  /** @throws StorageError NO_SUCH_OBJECT */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** Where an object lies on this machine; stores that have it elsewhere lack this. */
  pathOf?(key: string): string;
  /** Bytes; undefined where there is no such object. */
  size(key: string): Promise<number | undefined>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  /** The keys that begin with a prefix. */
  list(prefix: string): AsyncIterable<string>;
}

export type StorageErrorCode = 'NO_SUCH_OBJECT' | 'STORAGE_FULL' | 'STORAGE_AWAY';

/** What went wrong in a store; the message names no key. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
