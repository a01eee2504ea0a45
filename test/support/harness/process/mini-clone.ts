import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ProgramResult, plainEnv, runNode } from './run-node.js';

const repository = fileURLToPath(new URL('../../../../..', import.meta.url));
const COPIED = ['scripts', 'package.json', '.npmrc', 'tsconfig.json', 'vitest.config.ts'];
const PACKAGES = join(repository, 'node_modules');

/**
 * A small copy of the repository with the real launcher and packages and the test's own sources.
 */
export class MiniClone {
  readonly path = mkdtempSync(join(tmpdir(), 'parley-clone-'));

  constructor() {
    for (const path of COPIED) this.#copy(path);
    // The lock equals the installed packages: the launcher must never install into the linked
    // folder.
    cpSync(join(PACKAGES, '.package-lock.json'), join(this.path, 'package-lock.json'));
    symlinkSync(PACKAGES, join(this.path, 'node_modules'));
    for (const tree of ['media', 'agents-runtime', 'src', 'test']) mkdirSync(join(this.path, tree));
    this.write(
      'tools/models/main.ts',
      'process.exitCode = Number(process.env.MODELS_CODE ?? 0);\n',
    );
    // Replaces the PostgreSQL setup, which the tests inside the clone do not need.
    this.write(
      'test/support/harness/postgres/postgres-setup.ts',
      'export const setup = () => undefined;\n',
    );
    this.write('src/main.ts', "process.stdout.write('started\\n');\n");
  }

  /** Removes the packages, so that the launcher must install those of the real lock. */
  removePackages(): void {
    rmSync(join(this.path, 'node_modules'));
    this.#copy('package-lock.json');
  }

  write(path: string, text: string): void {
    const file = join(this.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Runs the clone's launcher until it exits. */
  launch(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ProgramResult> {
    return runNode(['scripts/launch.mjs', ...args], {
      cwd: this.path,
      env: { ...plainEnv(), ...env },
    });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #copy(path: string): void {
    cpSync(join(repository, path), join(this.path, path), { recursive: true });
  }
}
