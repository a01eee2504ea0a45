// Brings dist up to date: transpiles the TypeScript files that changed, copies the other files that
// changed, and deletes outputs whose source is gone. Types are not checked here: see `npm run typecheck`.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { diskFullSentence, StepFailure } from './step-failure.mjs';

/** The source folders. */
export const TREES = ['media', 'agents-runtime', 'src', 'tools', 'test'];
/**
 * Files whose change transpiles everything again, because they may change the output of the
 * transpiler.
 */
const SETTINGS = ['tsconfig.json', 'package-lock.json', 'scripts/build.mjs'];
/** Sources of the current dist: `{settings: hash, sources: {path: hash}}`. */
const MANIFEST = 'dist/.manifest.json';

/**
 * @param {string} root the repository
 * @returns {Promise<string[]>} the absolute paths of the outputs that changed; none if dist was current
 * @throws {StepFailure} if a source cannot be transpiled
 */
export async function build(root) {
  const previous = readManifest(root);
  // Taken before the outputs are written: a file that changes meanwhile is transpiled by the next
  // build.
  const current = { settings: hashOf(root, SETTINGS), sources: hashSources(root) };
  const isCurrent = (path) =>
    previous.settings === current.settings &&
    previous.sources[path] === current.sources[path] &&
    existsSync(join(root, outputOf(path)));
  const changed = Object.keys(current.sources).filter((path) => !isCurrent(path));
  deleteOrphans(root, current.sources);
  if (changed.length === 0) return [];
  // On standard error, because the command itself may print JSON.
  console.error(`Building ${changed.length} files …`);
  await transpile(
    root,
    changed.filter((path) => path.endsWith('.ts')),
  );
  for (const path of changed.filter((path) => !path.endsWith('.ts'))) {
    cpSync(join(root, path), join(root, 'dist', path));
  }
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, MANIFEST), JSON.stringify(current));
  return changed.map((path) => join(root, outputOf(path)));
}

async function transpile(root, paths) {
  if (paths.length === 0) return;
  // Not at the top: the launcher loads this module before the packages are installed.
  const esbuild = await import('esbuild');
  try {
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: paths,
      outdir: 'dist',
      outbase: '.',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
    });
  } catch (error) {
    const full = diskFullSentence(error.message);
    if (full) throw new StepFailure(full);
    process.stderr.write(`${error.message}\n`);
    throw new StepFailure(
      'The sources do not compile: fix the errors above, or check out a commit that compiles.',
    );
  } finally {
    // Otherwise its process stays for as long as the gateway runs.
    await esbuild.stop();
  }
}

function deleteOrphans(root, sources) {
  if (!existsSync(join(root, 'dist'))) return;
  const expected = new Set(
    Object.keys(sources).flatMap((path) => {
      const output = outputOf(path);
      return path.endsWith('.ts') ? [output, `${output}.map`] : [output];
    }),
  );
  for (const path of filesBelow(root, 'dist')) {
    if (path !== MANIFEST && !expected.has(path)) rmSync(join(root, path));
  }
}

const outputOf = (path) => `dist/${path.replace(/\.ts$/, '.js')}`;

function readManifest(root) {
  try {
    return JSON.parse(readFileSync(join(root, MANIFEST), 'utf8'));
  } catch {
    // Missing or truncated: everything is built again.
    return { settings: '', sources: {} };
  }
}

function hashSources(root) {
  const paths = TREES.filter((tree) => existsSync(join(root, tree))).flatMap((tree) =>
    filesBelow(root, tree),
  );
  return Object.fromEntries(paths.map((path) => [path, hashOf(root, [path])]));
}

function hashOf(root, paths) {
  const hash = createHash('sha1');
  for (const path of paths) hash.update(readFileSync(join(root, path)));
  return hash.digest('base64');
}

/** Relative paths with forward slashes. */
function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await build(fileURLToPath(new URL('..', import.meta.url)));
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}
