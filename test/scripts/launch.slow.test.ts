import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MiniClone } from '../support/harness/process/mini-clone.js';
import { plainEnv } from '../support/harness/process/run-node.js';

// Each launch compiles and may start vitest.
vi.setConfig({ testTimeout: 240_000 });

const PASSING = "import { expect, it } from 'vitest';\nit('adds', () => expect(1 + 1).toBe(2));\n";
const FAILING = "import { expect, it } from 'vitest';\nit('adds', () => expect(1 + 1).toBe(3));\n";

let clone: MiniClone;
beforeEach(() => {
  clone = new MiniClone();
});
afterEach(() => clone.remove());

describe('npm test', () => {
  it('ends with one line that counts the tests', async () => {
    clone.write('test/a.test.ts', `${PASSING}it.skip('later', () => {});\n`);
    const ended = await clone.launch(['test']);
    expect(ended.lastLine).toBe('1 passed, 0 failed, 1 skipped');
    expect(ended.code).toBe(0);
  });

  it('leaves slow and end-to-end tests to test:all, whose last line counts both tiers', async () => {
    clone.write('test/a.test.ts', PASSING);
    clone.write('test/smoke/b.test.ts', PASSING);
    clone.write('test/c.slow.test.ts', PASSING);
    clone.write('test/e2e/d.test.ts', `${FAILING}it.skip('later', () => {});\n`);
    // The preparation for the real tests would take minutes.
    clone.write(
      'scripts/needs.mjs',
      'export const TEST_NEEDS = [];\nexport const prepare = async () => ({});\n',
    );
    const first = await clone.launch(['test']);
    expect(first.lastLine).toBe('2 passed, 0 failed, 0 skipped');
    const all = await clone.launch(['test:all']);
    expect(all.lastLine).toBe('3 passed, 1 failed, 1 skipped');
    expect(all.code).not.toBe(0);
    const strict = await clone.launch(['test:all'], { REQUIRE_ALL: '1' });
    expect(strict.lastLine).toBe('3 passed, 2 failed, 0 skipped');
    const part = await clone.launch(['test:all', 'dist/test/c']);
    expect(part).toMatchObject({ code: 0, lastLine: '1 passed, 0 failed, 0 skipped' });
  });

  it('counts a failed test, a suite that does not load and a failed hook', async () => {
    clone.write('test/a.test.ts', FAILING);
    clone.write('test/b.test.ts', "throw new Error('does not load');\n");
    clone.write(
      'test/c.test.ts',
      `import { beforeAll, describe } from 'vitest';\n${PASSING}describe('s', () => {
        beforeAll(() => { throw new Error('hook'); });
        it('waits', () => {});
      });\n`,
    );
    const ended = await clone.launch(['test']);
    expect(ended.lastLine).toMatch(/^1 passed, [34] failed, [01] skipped$/);
    expect(ended.code).not.toBe(0);
  });

  it('fails if no test was executed', async () => {
    clone.write('test/a.test.ts', PASSING.replace('it(', 'it.skip('));
    const ended = await clone.launch(['test']);
    expect(ended.lastLine).toBe('0 passed, 1 failed, 1 skipped');
    expect(ended.code).not.toBe(0);
    const none = await clone.launch(['test', 'no-such-file']);
    expect(none.lastLine).toBe('0 passed, 1 failed, 0 skipped');
    expect(none.code).not.toBe(0);
  });

  it('passes filters on to vitest', async () => {
    clone.write('test/a.test.ts', PASSING);
    clone.write('test/e2e/b.test.ts', FAILING);
    const ended = await clone.launch(['test', '--project', 'core', 'dist/test']);
    expect(ended.lastLine).toBe('1 passed, 0 failed, 0 skipped');
  });

  it('runs the real-time suites one by one, after the others', async () => {
    const log = join(clone.path, 'log');
    const suite = (name: string) => `import { appendFileSync } from 'node:fs';
      import { it } from 'vitest';
      it('logs', async () => {
        appendFileSync(${JSON.stringify(log)}, '+${name} ');
        await new Promise((resolve) => setTimeout(resolve, 300));
        appendFileSync(${JSON.stringify(log)}, '-${name} ');
      });\n`;
    for (const name of ['a', 'b']) {
      clone.write(`test/e2e/${name}.real-time.test.ts`, suite(`slow-${name}`));
    }
    for (const name of ['z1', 'z2', 'z3']) clone.write(`test/${name}.test.ts`, suite('fast'));
    const ended = await clone.launch(['test', 'dist/test']);
    expect(ended.lastLine).toBe('5 passed, 0 failed, 0 skipped');
    const steps = readFileSync(log, 'utf8').trim().split(' ');
    expect(steps.slice(0, 6).every((step) => step.endsWith('fast'))).toBe(true);
    const [first, second] = steps[6] === '+slow-a' ? ['a', 'b'] : ['b', 'a'];
    expect(steps.slice(6)).toEqual([
      `+slow-${first}`,
      `-slow-${first}`,
      `+slow-${second}`,
      `-slow-${second}`,
    ]);
  });

  it.each([
    ['have type errors', "export const two: number = 'two';\n"],
    ['do not compile', 'export const two = ;\n'],
  ])('ends with the final line if the sources %s', async (what, source) => {
    clone.write('media/two.ts', source);
    const ended = await clone.launch(['test']);
    expect(ended.output).toContain(`The sources ${what}`);
    expect(ended.lastLine).toBe('0 passed, 1 failed, 0 skipped');
    expect(ended.code).not.toBe(0);
  });
});

describe('npm start', () => {
  it.each([
    ['at once when npm is ended, which hands the signal on', 'SIGTERM', true],
    ['in order when npm is killed', 'SIGKILL', false],
  ] as const)('ends %s', async (_, signal, isHandedOn) => {
    for (const file of ['started', 'ended']) rmSync(join(clone.path, file), { force: true });
    clone.write(
      'src/main.ts',
      `import { writeFileSync } from 'node:fs';
      process.on('SIGTERM', () => {
        writeFileSync('ended', String(process.ppid));
        process.exit(0);
      });
      setInterval(() => undefined, 1_000);
      writeFileSync('started', '');\n`,
    );
    const npm = spawn('npm', ['start'], { cwd: clone.path, env: plainEnv(), stdio: 'ignore' });
    const there = (file: string) => () => existsSync(join(clone.path, file));
    await expect.poll(there('started'), { timeout: 60_000 }).toBe(true);
    npm.kill(signal);
    await expect.poll(there('ended'), { timeout: 60_000 }).toBe(true);
    // npm waits for a program to which it has forwarded the signal.
    const parent = Number(readFileSync(join(clone.path, 'ended'), 'utf8'));
    expect(parent === npm.pid).toBe(isHandedOn);
  });

  it('stops without a message if the models are unavailable', async () => {
    await clone.launch(['start']);
    const ended = await clone.launch(['start'], { MODELS_CODE: '7' });
    expect(ended).toMatchObject({ code: 7, output: '' });
  });
});

describe('failed step', () => {
  it('is reported in one sentence if a part of the checkout is missing', async () => {
    rmSync(join(clone.path, 'tsconfig.json'));
    const ended = await clone.launch(['start']);
    expect(ended).toMatchObject({ code: 1, lastLine: '' });
    expect(ended.output).toMatch(/^\S+ lacks tsconfig\.json: run `git checkout -- \.`[^\n]+\n$/);
  });

  it('is reported in one sentence if the packages cannot be downloaded', async () => {
    clone.removePackages();
    const ended = await clone.launch(['start'], {
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_cache: join(clone.path, 'npm-cache'),
      npm_config_fetch_retries: '0',
    });
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(
      /^Installing[^\n]+\nCannot download the packages \(ECONNREFUSED\): check the network[^\n]+\n$/,
    );
  });

  it('is reported in one sentence if the lock does not match package.json', async () => {
    clone.removePackages();
    clone.write('package.json', '{"name": "parley", "dependencies": {"zod": "1.0.0"}}');
    const ended = await clone.launch(['start']);
    expect(ended.code).toBe(1);
    expect(ended.output).toContain(
      'package-lock.json does not match package.json: run `npm install`',
    );
  });

  it('lists the commands for an unknown one', async () => {
    const ended = await clone.launch(['constructor']);
    expect(ended.code).toBe(2);
    expect(ended.output).toBe(
      'Add a command: start, test, test:all, coverage, test:watch, models, admin, bench, replay, simulate, soak.\n',
    );
  });
});

describe('build', () => {
  const built = (path: string) => join(clone.path, 'dist', path);

  it('writes only changed outputs', async () => {
    clone.write('src/page.html', '<p>page</p>\n');
    const first = await clone.launch(['start']);
    expect(first.output).toContain('Building');
    expect(first.lastLine).toBe('started');
    expect(existsSync(built('src/page.html'))).toBe(true);
    const builtAt = statSync(built('tools/models/main.js')).mtimeMs;

    expect((await clone.launch(['start'])).output).toBe('started\n');

    clone.write('src/main.ts', "process.stdout.write('started anew\\n');\n");
    expect((await clone.launch(['start'])).lastLine).toBe('started anew');
    expect(statSync(built('tools/models/main.js')).mtimeMs).toBe(builtAt);
  });

  it('writes deleted outputs again, and deletes outputs without a source', async () => {
    clone.write('src/gone.ts', 'export const gone = 1;\n');
    await clone.launch(['start']);
    expect(existsSync(built('src/gone.js'))).toBe(true);
    rmSync(join(clone.path, 'src/gone.ts'));
    rmSync(built('src/main.js'));
    expect((await clone.launch(['start'])).lastLine).toBe('started');
    expect(existsSync(built('src/gone.js'))).toBe(false);
    expect(existsSync(built('src/gone.js.map'))).toBe(false);
  });
});
