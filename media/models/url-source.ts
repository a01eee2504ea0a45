import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortError, isFileError, MediaError } from '../errors.js';
import { matchingHash } from './hashes.js';
import type { Model, ModelFile, UrlSource } from './model.js';
import type { FetchOptions } from './wheel-source.js';

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
/** Maximum time in ms without a byte in an attempt. */
const STALL_MS = 30_000;

/**
 * Fetches a model's files by URL, with up to four attempts for each. A partial file stays as `NAME.part`; a
 * later attempt or run requests only the rest. Complete files in the staging folder are not fetched again.
 * @throws MediaError ABORTED, DOWNLOAD_FAILED, MODEL_CORRUPT
 */
export async function fetchFromUrl(
  model: Model,
  source: UrlSource,
  options: FetchOptions,
): Promise<void> {
  let before = 0;
  for (const file of model.files) {
    const url = new URL(`${source.base}/${file.name}`);
    const target = join(options.staging, file.name);
    if (!(await isComplete(target, file))) {
      const base = before;
      await fetchFile(url, target, file, {
        ...options,
        onBytes: (bytes) => options.onBytes(base + bytes),
      });
    }
    before += file.bytes;
    options.onBytes(before);
  }
}

async function isComplete(target: string, file: ModelFile): Promise<boolean> {
  if ((await sizeOf(target)) !== file.bytes) return false;
  return (await matchingHash(target, file)) !== undefined;
}

async function fetchFile(
  url: URL,
  target: string,
  file: ModelFile,
  options: FetchOptions,
): Promise<void> {
  const part = `${target}.part`;
  let fault: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (options.signal?.aborted) throw abortError();
    if (attempt > 0) await pause(FIRST_WAIT_MS * 2 ** (attempt - 1), options.signal);
    try {
      await continuePart(url, part, file, options);
    } catch (error) {
      if (options.signal?.aborted) throw abortError();
      if (isFileError(error, 'ENOSPC', 'EDQUOT', 'EACCES', 'EROFS')) throw error;
      fault = error;
      if (error instanceof MediaError) break;
      continue;
    }
    if ((await matchingHash(part, file)) !== undefined) return rename(part, target);
    await rm(part, { force: true });
    fault = new MediaError(
      'MODEL_CORRUPT',
      `The file ${file.name} from ${url.host} differs from the published one: try again later, or use a model bundle.`,
    );
  }
  if (fault instanceof MediaError) throw fault;
  throw new MediaError(
    'DOWNLOAD_FAILED',
    `${file.name} could not be fetched from ${url.host}: check the network and run the same command again (the download continues where it stopped), or use a model bundle.`,
    { cause: fault },
  );
}

/** Appends to the partial file until it is complete. */
async function continuePart(
  url: URL,
  part: string,
  file: ModelFile,
  options: FetchOptions,
): Promise<void> {
  let have = (await sizeOf(part)) ?? 0;
  if (have === file.bytes) return;
  if (have > file.bytes) {
    await rm(part);
    have = 0;
  }
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(new Error('No bytes for 30 s')), STALL_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, stall.signal]) : stall.signal;
  try {
    const headers = have > 0 ? { range: `bytes=${have}-` } : undefined;
    const response = await fetch(url, { signal, ...(headers && { headers }) });
    const isRest = response.status === 206 && startOf(response) === have;
    if (!isRest && response.status !== 200) {
      await response.body?.cancel();
      refuse(response.status, url, file);
      // 416: the partial file is not the start of this file. Other statuses do not show that.
      if (response.status === 416) await rm(part, { force: true });
      throw new Error(`Status ${response.status}`);
    }
    let received = isRest ? have : 0;
    const count = new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        timer.refresh();
        received += chunk.length;
        options.onBytes(Math.min(received, file.bytes));
        done(received > file.bytes ? new Error('More bytes than published') : null, chunk);
      },
    });
    const out = createWriteStream(part, { flags: isRest ? 'a' : 'w' });
    await pipeline(response.body ?? [], count, out, { signal });
    if (received !== file.bytes) throw new Error('The connection ended early');
  } finally {
    clearTimeout(timer);
  }
}

/** Throws for a status that a retry does not change. */
function refuse(status: number, url: URL, file: ModelFile): void {
  if (status < 400 || status >= 500 || [408, 416, 425, 429].includes(status)) return;
  throw new MediaError(
    'DOWNLOAD_FAILED',
    `${url.host} refused to send ${file.name} (status ${status}): use a model bundle, or copy the files into the model cache.`,
  );
}

function startOf(response: Response): number | undefined {
  const range = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '');
  return range ? Number(range[1]) : undefined;
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch {
    throw abortError();
  }
}
