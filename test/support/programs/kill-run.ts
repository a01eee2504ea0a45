import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isServerReady, serverPid } from '../harness/process/embedded-server.js';
import { type Product, removeDataDir, startProduct } from '../harness/process/product.js';
import { makeTestFolder } from '../harness/process/test-folder.js';

export const KILL_TARGETS = ['gateway', 'database', 'both'] as const;
export type KillTarget = (typeof KILL_TARGETS)[number];

const WRITERS = 4;
const RECOVERY_MS = 60_000;
const CHECKERS = 8;

/**
 * Kills the built product with SIGKILL during writes. Writers create agents continuously. After
 * each round, every agent that was acknowledged with 201 must exist unchanged.
 */
export class KillRun {
  readonly #dataDir = makeTestFolder();
  /** Agent names by ID. */
  readonly #acknowledged = new Map<string, string>();
  #product: Product | undefined;
  #isOver = false;
  /** Responses other than 201 and 503. */
  readonly #faults = new Set<string>();
  /** The last response other than 201, for error messages. */
  #refusal = 'nothing was refused';

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** @throws if an acknowledged agent is lost or the product does not recover cleanly */
  async round(target: KillTarget): Promise<void> {
    this.#product ??= await this.#start();
    const before = this.acknowledged;
    this.#isOver = false;
    this.#faults.clear();
    const writers = Array.from({ length: WRITERS }, () => this.#write());
    try {
      await this.#until(() => this.acknowledged > before + WRITERS, 'an agent was created');
      await sleep(randomInt(300)); // at a random point of a write
      const killed = serverPid(this.#dataDir);
      await this.#kill(target);
      if (target === 'database') await this.#expectRecovery(killed);
    } finally {
      this.#isOver = true;
      await Promise.all(writers);
    }
    if (this.#faults.size > 0) {
      const loggedErrors = errorsIn(this.#product);
      throw new Error(
        `Refused otherwise than by 503: ${[...this.#faults].join('\n')}\n${loggedErrors}`,
      );
    }
    this.#product ??= await this.#start();
    await this.#check([...this.#acknowledged].slice(before));
  }

  /** Checks all agents once more after a graceful restart. */
  async finish(): Promise<void> {
    const code = await this.#product?.stop();
    if (code !== 0) throw new Error(`The gateway ended with ${code}`);
    this.#product = await this.#start();
    await this.#check([...this.#acknowledged]);
  }

  async remove(): Promise<void> {
    this.#isOver = true;
    await this.#product?.stop();
    await removeDataDir(this.#dataDir);
  }

  async #start(): Promise<Product> {
    const env = { REQUESTS_PER_MINUTE: '0' };
    const product = await startProduct({ dataDir: this.#dataDir, env });
    const faults = errorsIn(product);
    if (!faults) return product;
    await product.stop();
    throw new Error(`The start was not clean:\n${faults}`);
  }

  async #kill(target: KillTarget): Promise<void> {
    const pids = target === 'gateway' ? [] : serverPids(this.#dataDir);
    for (const pid of pids) killIfThere(pid);
    if (target === 'database') return;
    await this.#product?.kill();
    this.#product = undefined;
  }

  /**
   * Waits until the gateway has restarted the database and writes succeed again. Responses in
   * transit may still arrive.
   */
  async #expectRecovery(killed: number): Promise<void> {
    const isRestarted = () => isServerReady(this.#dataDir) && serverPid(this.#dataDir) !== killed;
    await this.#until(isRestarted, 'the database was started again');
    const restarted = this.acknowledged;
    await this.#until(() => this.acknowledged > restarted + WRITERS, 'writes went on');
  }

  async #write(): Promise<void> {
    while (!this.#isOver && this.#product) {
      const name = randomUUID();
      const created = await request(this.#product, 'POST', '/agent/', { name, config: {} });
      if (created?.status === 201) {
        this.#acknowledged.set(String(created.body.agent_id), name);
      } else {
        if (created && created.status !== 503) this.#faults.add(JSON.stringify(created));
        this.#refusal = JSON.stringify(created ?? 'no answer');
        await sleep(20);
      }
    }
  }

  async #check(agents: readonly (readonly [string, string])[]): Promise<void> {
    const product = this.#product;
    if (!product) throw new Error('The product is not running');
    const waiting = [...agents];
    const check = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [id, name] = next;
        const found = await request(product, 'GET', `/agent/${id}`);
        if (found?.status !== 200 || found.body.name !== name) {
          const answer = JSON.stringify(found ?? 'no answer').slice(0, 300);
          const log = product.logs().slice(-1_000);
          throw new Error(`The agent ${id} was acknowledged and is lost: ${answer}\n${log}`);
        }
      }
    };
    await Promise.all(Array.from({ length: CHECKERS }, check));
  }

  async #until(isDone: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + RECOVERY_MS;
    while (!isDone()) {
      if (Date.now() > deadline) {
        throw new Error(
          `Not within ${RECOVERY_MS} ms: ${what}; the last refusal: ${this.#refusal}`,
        );
      }
      await sleep(10);
    }
  }
}

/** The server and, in half of the cases, its children, which would otherwise exit on its death. */
function serverPids(dataDir: string): number[] {
  const pid = serverPid(dataDir);
  if (randomInt(2) === 0) return [pid];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** Ignores processes that have already exited with the server. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function errorsIn(product: Product | undefined): string {
  return (
    product
      ?.logs()
      .match(/^.*"level":"(error|fatal)".*$/gm)
      ?.join('\n') ?? ''
  );
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Undefined if the response is incomplete. */
async function request(
  { url, apiKey }: Product,
  method: string,
  path: string,
  body?: object,
): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(RECOVERY_MS),
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    return { status: response.status, body: answer as Answer['body'] };
  } catch {
    return undefined;
  }
}
