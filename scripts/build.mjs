// Builds dist from nothing (a deleted test must not linger there) and copies what is not TypeScript.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
rmSync('dist', { recursive: true, force: true });
const compiled = spawnSync(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  { stdio: 'inherit' },
);
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
for (const folder of ['media/models/licences', 'src/page/public', 'test/fixtures']) {
  if (existsSync(folder)) cpSync(folder, `dist/${folder}`, { recursive: true });
}
