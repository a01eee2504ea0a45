// Builds dist from nothing (a deleted test must not linger there) and copies what is not TypeScript.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from './run.mjs';
import { diskFullSentence, StepFailure } from './step-failure.mjs';

const TREES = ['media', 'agents-runtime', 'src', 'test'];
const ALSO_READ = ['tsconfig.json', 'package.json', 'package-lock.json', 'scripts/build.mjs'];
const STAMP = 'dist/.sources-hash';

/** Builds, unless dist was made from the very sources that are here. @throws {StepFailure} */
export async function buildIfChanged(root) {
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hashSources(root)) return;
  // Beside what the command itself prints, which may be JSON.
  console.error('Building …');
  await build(root);
}

/** @throws {StepFailure} */
export async function build(root) {
  // Taken first: a file that changes under the compiler makes the next build, not a stale one.
  const hash = hashSources(root);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { code, output } = await run(process.execPath, [compiler, '-p', 'tsconfig.json'], {
    cwd: root,
  });
  if (code !== 0) {
    const full = diskFullSentence(output);
    if (full) throw new StepFailure(full);
    process.stderr.write(output);
    throw new StepFailure(
      'The sources do not compile: correct what the compiler says above, or go back to a commit that compiles.',
    );
  }
  for (const path of sourceFiles(root)) {
    if (!path.endsWith('.ts')) cpSync(join(root, path), join(root, 'dist', path));
  }
  writeFileSync(join(root, STAMP), hash);
}

function hashSources(root) {
  const hash = createHash('sha256');
  for (const path of [...ALSO_READ, ...sourceFiles(root)]) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function sourceFiles(root) {
  return TREES.filter((tree) => existsSync(join(root, tree))).flatMap((tree) =>
    readdirSync(join(root, tree), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(root.length)
          .replace(/^[/\\]/, ''),
      )
      .sort(),
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  try {
    await build(root);
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}
