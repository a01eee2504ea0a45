import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, plainEnv, runNode } from './run-node.js';

const repository = fileURLToPath(new URL('../../../../..', import.meta.url));
const COPIED = ['scripts', 'package.json', '.npmrc', 'tsconfig.json', 'vitest.config.ts'];
const PACKAGES = join(repository, 'node_modules');

/** A small clone with the real launcher and packages, and with sources of the test's own. */
export class MiniClone {
  readonly path = mkdtempSync(join(tmpdir(), 'parley-clone-'));

  constructor() {
    for (const path of COPIED) this.#copy(path);
    // What is installed is what it asks for: it must never install into the repository's packages.
    cpSync(join(PACKAGES, '.package-lock.json'), join(this.path, 'package-lock.json'));
    symlinkSync(PACKAGES, join(this.path, 'node_modules'));
    for (const tree of ['media', 'agents-runtime', 'src', 'test']) mkdirSync(join(this.path, tree));
    this.write(
      'tools/models/main.ts',
      'process.exitCode = Number(process.env.MODELS_CODE ?? 0);\n',
    );
    // The run's PostgreSQL, which the tests in here do not need.
    this.write(
      'test/support/harness/postgres/postgres-setup.ts',
      'export const setup = () => undefined;\n',
    );
    this.write('src/main.ts', "process.stdout.write('started\\n');\n");
  }

  /** Takes the packages away; the launcher has to install those of the real lock. */
  removePackages(): void {
    rmSync(join(this.path, 'node_modules'));
    this.#copy('package-lock.json');
  }

  write(path: string, text: string): void {
    const file = join(this.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Runs the clone's launcher to its end. */
  launch(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
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
