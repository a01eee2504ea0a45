import type { Readable } from 'node:stream';

/** A range of bytes from 0, inclusive at both ends. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Storage of files that outlive a gateway. Keys are words of `a-z 0-9 . _ -`, separated by slashes. */
export interface ObjectStore {
  /** Stores a file under a key atomically. Replaces an existing object. */
  putFile(key: string, path: string): Promise<void>;
  /** @throws StorageError NO_SUCH_OBJECT */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** The path of an object on this machine. Undefined for remote stores. */
  pathOf?(key: string): string;
  /** Size in bytes; undefined if the object does not exist. */
  size(key: string): Promise<number | undefined>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  /** The keys that begin with a prefix. */
  list(prefix: string): AsyncIterable<string>;
}

export type StorageErrorCode = 'NO_SUCH_OBJECT' | 'STORAGE_FULL' | 'STORAGE_AWAY';

/** An error of a store. Messages contain no key. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
