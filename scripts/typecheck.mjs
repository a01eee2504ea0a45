import { join } from 'node:path';
import { run } from './run.mjs';
import { StepFailure } from './step-failure.mjs';

/** @throws {StepFailure} if the sources have type errors */
export async function checkTypes(root) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { code } = await run(process.execPath, [compiler, '-p', 'tsconfig.json'], {
    show: true,
    cwd: root,
  });
  if (code !== 0) throw new StepFailure('The sources have type errors: fix the errors above.');
}
