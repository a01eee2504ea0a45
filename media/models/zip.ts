import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32, createInflateRaw, deflateRaw } from 'node:zlib';
import { MediaError } from '../errors.js';

// Wheels and bundles are plain zip files of a few named entries, and each extracted file is checked
// by hash: a library's breadth (encryption, zip64, repair) would add parts and no safety.
// Source of the layout: PKWARE APPNOTE 6.3.10, 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end).
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;
const UTF8_NAMES = 0x0800;
const STORED = 0;
const DEFLATED = 8;

const deflate = promisify<Buffer, Buffer>(deflateRaw);

/** One file in a zip archive. */
export interface ZipEntry {
  readonly name: string;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly method: number;
  readonly offset: number;
}

/**
 * The entries of a zip file by name.
 * @throws MediaError MODEL_CORRUPT when it is not a zip file that this reader knows
 */
export async function readZip(file: string): Promise<ReadonlyMap<string, ZipEntry>> {
  const handle = await open(file);
  try {
    return parseDirectory(await readDirectory(handle));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new MediaError('MODEL_CORRUPT', 'The zip archive is damaged: make or copy it again.', {
      cause: error,
    });
  } finally {
    await handle.close();
  }
}

/**
 * Writes an entry's content to a file.
 * @throws MediaError MODEL_CORRUPT when its length is not the announced one
 */
export async function extract(archive: string, entry: ZipEntry, to: string): Promise<void> {
  const start = await contentStart(archive, entry);
  const limit = exactly(entry.bytes);
  if (entry.packedBytes === 0) return pipeline([], limit, createWriteStream(to));
  const packed = createReadStream(archive, { start, end: start + entry.packedBytes - 1 });
  try {
    if (entry.method === STORED) await pipeline(packed, limit, createWriteStream(to));
    else await pipeline(packed, createInflateRaw(), limit, createWriteStream(to));
  } catch (error) {
    if (!isInflateError(error)) throw error;
    throw new MediaError('MODEL_CORRUPT', 'The zip archive is damaged: make or copy it again.', {
      cause: error,
    });
  }
}

/** Writes files into a new zip archive; each is held in memory once while it is packed. */
export async function writeZip(
  archive: string,
  files: readonly { readonly name: string; readonly file: string }[],
): Promise<void> {
  const handle = await open(archive, 'wx');
  try {
    const directory: Buffer[] = [];
    let offset = 0;
    for (const { name, file } of files) {
      const content = await readFile(file);
      const packed = await deflate(content);
      const fields = fieldsOf(name, content, packed);
      const local = Buffer.concat([header(LOCAL, LOCAL_BYTES, fields, 4), fields.name]);
      directory.push(header(CENTRAL, CENTRAL_BYTES, fields, 6, offset), fields.name);
      await handle.writeFile(local);
      await handle.writeFile(packed);
      offset += local.length + packed.length;
      if (offset > 0xfffffffe) throw new MediaError('INVALID_INPUT', 'The bundle is over 4 GB');
    }
    const central = Buffer.concat(directory);
    await handle.writeFile(Buffer.concat([central, end(files.length, central.length, offset)]));
  } finally {
    await handle.close();
  }
}

async function readDirectory(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const tail = Buffer.alloc(Math.min(size, END_BYTES + 0xffff));
  await handle.read(tail, 0, tail.length, size - tail.length);
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at--;
  if (at < 0)
    throw new MediaError(
      'MODEL_CORRUPT',
      'The file is not a whole zip archive: make or copy it again.',
    );
  const length = tail.readUInt32LE(at + 12);
  if (length > Math.min(size, MAX_DIRECTORY_BYTES)) throw new RangeError('directory too long');
  const directory = Buffer.alloc(length);
  const { bytesRead } = await handle.read(directory, 0, length, tail.readUInt32LE(at + 16));
  if (bytesRead !== length) throw new RangeError('directory cut short');
  return directory;
}

function parseDirectory(directory: Buffer): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  for (let at = 0; at < directory.length; ) {
    if (directory.readUInt32LE(at) !== CENTRAL)
      throw new RangeError('no entry where one should be');
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
    entries.set(name, {
      name,
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    });
    const extras = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    at += CENTRAL_BYTES + nameLength + extras;
  }
  return entries;
}

/** The local header repeats the name, with extras of another length than the directory's. */
async function contentStart(archive: string, entry: ZipEntry): Promise<number> {
  const handle = await open(archive);
  try {
    const local = Buffer.alloc(LOCAL_BYTES);
    await handle.read(local, 0, LOCAL_BYTES, entry.offset);
    const isKnown = entry.method === STORED || entry.method === DEFLATED;
    if (local.readUInt32LE(0) !== LOCAL || !isKnown) {
      throw new MediaError('MODEL_CORRUPT', 'The zip archive is damaged: make or copy it again.');
    }
    return entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  } finally {
    await handle.close();
  }
}

/** Passes `bytes` bytes and fails on one more or fewer: an archive cannot fill the disk. */
function exactly(bytes: number): Transform {
  let left = bytes;
  const wrong = () => new MediaError('MODEL_CORRUPT', 'An entry is not as long as announced');
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(wrong());
      else done(null, chunk);
    },
    flush(done) {
      done(left === 0 ? null : wrong());
    },
  });
}

function isInflateError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('Z_');
}

interface Fields {
  readonly name: Buffer;
  readonly crc: number;
  readonly bytes: number;
  readonly packedBytes: number;
}

function fieldsOf(name: string, content: Buffer, packed: Buffer): Fields {
  return {
    name: Buffer.from(name),
    crc: crc32(content),
    bytes: content.length,
    packedBytes: packed.length,
  };
}

/** A local or central header: the shared fields start at `at`. Times are zero: bundles are equal. */
function header(signature: number, length: number, fields: Fields, at: number, offset = 0): Buffer {
  const out = Buffer.alloc(length);
  out.writeUInt32LE(signature, 0);
  if (signature === CENTRAL) out.writeUInt16LE(20, 4);
  out.writeUInt16LE(20, at);
  out.writeUInt16LE(UTF8_NAMES, at + 2);
  out.writeUInt16LE(DEFLATED, at + 4);
  out.writeUInt16LE(0x21, at + 8);
  out.writeUInt32LE(fields.crc, at + 10);
  out.writeUInt32LE(fields.packedBytes, at + 14);
  out.writeUInt32LE(fields.bytes, at + 18);
  out.writeUInt16LE(fields.name.length, at + 22);
  if (signature === CENTRAL) out.writeUInt32LE(offset, 42);
  return out;
}

function end(count: number, directoryBytes: number, offset: number): Buffer {
  const out = Buffer.alloc(END_BYTES);
  out.writeUInt32LE(END, 0);
  out.writeUInt16LE(count, 8);
  out.writeUInt16LE(count, 10);
  out.writeUInt32LE(directoryBytes, 12);
  out.writeUInt32LE(offset, 16);
  return out;
}
