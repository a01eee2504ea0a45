import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, productEnv, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const CLI = fileURLToPath(new URL('../../tools/admin/main.js', import.meta.url));
const ACCOUNT = 'First account';

describe('npm run admin', () => {
  let product: Product;
  const folder = makeTestFolder();
  const file = (name: string) => join(folder, name);
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(async () => {
    await product?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs `npm run admin` on a data folder. Default: the folder of the running product. */
  async function admin(args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: productEnv({ DATA_DIR: product.dataDir, ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [printed, faults] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, printed, faults };
  }

  async function ask(url: string, key: string, path: string, method = 'GET', body?: unknown) {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { agent_id?: string } };
  }

  const keyIn = (printed: string) => /^vk_\S+$/m.exec(printed)?.[0] ?? '';

  it('creates accounts and keys that take effect immediately and see only their own account', async () => {
    expect((await admin(['accounts', 'add', 'Second'])).code).toBe(0);
    const added = await admin(['keys', 'add', 'Second', 'A key', '--scopes', 'agents,speech']);
    expect(added.code).toBe(0);
    const key = keyIn(added.printed);
    expect(await ask(product.url, key, '/agent')).toMatchObject({ status: 200 });
    expect((await ask(product.url, key, '/auth/api-key')).status).toBe(403);
    const mine = await ask(product.url, key, '/agent');
    const theirs = await ask(product.url, product.apiKey, '/agent');
    expect(JSON.stringify(mine.body)).not.toContain('agent_id');
    expect(JSON.stringify(theirs.body)).toContain('agent_id');
    const id = /^(\d+) +A key/m.exec(added.printed)?.[1] ?? '';
    expect((await admin(['keys', 'revoke', 'Second', id])).printed).toContain('revoked');
    await expect
      .poll(async () => (await ask(product.url, key, '/agent')).status, { timeout: 30_000 })
      .toBe(401);
  });

  it('sets credits and limits that apply to speech requests', async () => {
    await admin(['accounts', 'add', 'Paying']);
    const key = keyIn((await admin(['keys', 'add', 'Paying', 'Key'])).printed);
    expect((await admin(['credits', 'add', 'Paying', '5'])).faults).toContain('unlimited');
    await admin(['credits', 'set', 'Paying', '0.5']);
    await admin(['prices', 'Paying', '--per-1000-characters', '100']);
    const speak = async () => {
      const response = await fetch(`${product.url}/api/v1/tts/speech/stream`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ text: 'Hello', language: 'en' }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect([await speak(), await speak()]).toEqual([200, 402]);
    expect((await admin(['credits', 'add', 'Paying', '0.5'])).printed).toMatch(/Paying +0\.5 /);
    expect(await speak()).toBe(200);
  });

  it('deletes an account with its keys only after a second confirmation', async () => {
    await admin(['accounts', 'add', 'Passing']);
    const key = keyIn((await admin(['keys', 'add', 'Passing', 'Key'])).printed);
    expect((await admin(['accounts', 'remove', 'Passing'])).faults).toContain('--yes');
    expect((await admin(['accounts', 'remove', 'Passing', '--yes'])).code).toBe(0);
    await expect
      .poll(async () => (await ask(product.url, key, '/agent')).status, { timeout: 30_000 })
      .toBe(401);
  });

  it('assigns phone numbers to accounts, lists them and removes them', async () => {
    await admin(['accounts', 'add', 'Calling']);
    const number = '+15550123';
    const assigned = await admin(['numbers', 'assign', 'Calling', '+1 (555) 0123']);
    expect([assigned.code, assigned.printed]).toEqual([0, expect.stringContaining(number)]);
    expect((await admin(['numbers', 'list', 'Calling'])).printed).toMatch(
      /\+15550123 .*Calling +- +yes/,
    );
    expect((await admin(['numbers', 'unassign', number])).code).toBe(0);
    expect((await admin(['numbers'])).printed).not.toContain(number);
  });

  it('reports each error in one sentence', async () => {
    const wrong: [string[], number, string][] = [
      [['accounts', 'rename', 'Nobody', 'Other'], 1, 'There is no account "Nobody"'],
      [['accounts', 'add', ' '], 1, 'A name must have'],
      [['credits', 'set', ACCOUNT, 'much'], 1, 'must be an amount'],
      [['keys', 'add', ACCOUNT, 'Key', '--scopes', 'everything'], 1, '--scopes must be'],
      [['keys', 'add', ACCOUNT, 'Key', '--days', '0'], 1, '--days must be'],
      [['keys', 'revoke', ACCOUNT, '999999'], 1, 'has no key 999999'],
      [['numbers', 'assign', ACCOUNT, '0301234'], 1, 'must be E.164'],
      [['numbers', 'unassign', '+15550199'], 1, 'assigned to no account'],
      [['restore', 'nowhere.zip'], 1, 'does not exist'],
      [['conquer'], 2, 'usage:'],
      [['accounts', '--colour'], 2, 'usage:'],
    ];
    const outcomes = await Promise.all(wrong.map(([args]) => admin(args)));
    for (const [i, { code, faults }] of outcomes.entries()) {
      const [args, expected, sentence] = wrong[i]!;
      expect([args, code, faults]).toEqual([args, expected, expect.stringContaining(sentence)]);
      expect(faults).not.toContain('    at ');
    }
  });

  describe('backup', () => {
    const SECRET = 'a-webhook-secret-of-the-test';
    let agentId: string;
    beforeAll(async () => {
      const created = await ask(product.url, product.apiKey, '/agent', 'POST', {
        name: 'Kept',
        config: {
          prompt: 'You help.',
          webhooks: {
            events: [
              { url: 'https://example.com/hook', events: ['call.completed'], secret: SECRET },
            ],
          },
        },
      });
      agentId = created.body.agent_id ?? '';
      expect((await admin(['backup', file('plain.zip')])).printed).toContain('without SECRET_KEY');
      expect((await admin(['backup', file('whole.zip'), '--with-secret'])).printed).toContain(
        'contains SECRET_KEY',
      );
    });

    /** Restores a backup into a new data folder. Returns the folder and the program's output. */
    async function restored(args: readonly string[], env: Record<string, string> = {}) {
      const dataDir = join(folder, `data-${Math.random().toString(36).slice(2)}`);
      return { dataDir, ...(await admin(['restore', ...args], { DATA_DIR: dataDir, ...env })) };
    }

    it('is private and complete, and overwrites no file', async () => {
      expect(statSync(file('plain.zip')).mode & 0o777).toBe(0o600);
      expect(readFileSync(file('plain.zip')).includes(SECRET)).toBe(false);
      expect((await admin(['backup', file('plain.zip')])).faults).toContain('exists already');
      expect((await admin(['backup', file('no/such.zip')])).faults).toContain('does not exist');
    });

    it('restores keys, agents and their secrets with SECRET_KEY', async () => {
      const { dataDir, code, printed } = await restored([file('whole.zip')]);
      expect([code, printed]).toEqual([0, expect.stringContaining('API keys work as before')]);
      const again = await startProduct({ dataDir });
      try {
        const agent = await ask(again.url, product.apiKey, `/agent/${agentId}`);
        expect(agent.status).toBe(200);
        const before = await ask(product.url, product.apiKey, `/agent/${agentId}`);
        expect(agent.body).toEqual(before.body);
        const another = await ask(again.url, product.apiKey, '/agent', 'POST', {
          name: 'New',
          config: { prompt: 'You help.' },
        });
        expect(another.status).toBeLessThan(300);
        const made = await admin(['keys', 'add', ACCOUNT, 'Next'], { DATA_DIR: dataDir });
        expect(made.faults).toBe('');
      } finally {
        await again.stop();
      }
      const twice = await admin(['restore', file('whole.zip')], { DATA_DIR: dataDir });
      expect(twice.faults).toContain('is not empty');
    });

    it('reports the missing SECRET_KEY, and restores with and without it', async () => {
      const refused = await restored([file('plain.zip')]);
      expect(refused.faults).toContain('set SECRET_KEY');
      const key = readFileSync(join(product.dataDir, 'secret-key'), 'utf8').trim();
      const known = await restored([file('plain.zip')], { SECRET_KEY: key });
      expect([known.code, known.faults]).toEqual([0, '']);
      const env = { DATA_DIR: known.dataDir };
      const resealed = await admin(['reseal'], {
        ...env,
        SECRET_KEY: `another-secret-of-the-test,${key}`,
      });
      expect(resealed.printed).toMatch(/secrets of 1 agents? with the newest/);
      const wrong = await admin(['reseal'], { ...env, SECRET_KEY: 'a-third-secret-of-the-test' });
      expect(wrong.faults).toContain('SECRET_KEY');
      const forgotten = await restored([file('plain.zip'), '--forget-secrets']);
      expect(forgotten.printed).toContain('enter them again');
    });

    it('rejects a truncated or invalid file and leaves no files', async () => {
      const half = file('half.zip');
      writeFileSync(half, readFileSync(file('whole.zip')));
      truncateSync(half, Math.floor(statSync(half).size / 2));
      const refused = await restored([half]);
      expect([refused.code, refused.faults]).toEqual([
        1,
        expect.stringContaining('not a complete backup'),
      ]);
      writeFileSync(file('none.zip'), 'This is no archive.');
      expect((await restored([file('none.zip')])).faults).toContain('not a complete backup');
      expect(existsSync(join(refused.dataDir, 'secret-key'))).toBe(false);
    });

    it('fails where there is no installation', async () => {
      const dataDir = join(folder, 'nothing');
      mkdirSync(dataDir);
      const outcome = await admin(['backup', file('of-nothing.zip')], { DATA_DIR: dataDir });
      expect(outcome.faults).toContain('no installation in DATA_DIR');
      expect(existsSync(file('of-nothing.zip'))).toBe(false);
    });
  });
});
