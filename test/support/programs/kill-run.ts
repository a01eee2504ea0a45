import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isServerReady, serverPid } from '../harness/process/embedded-server.js';
import { type Product, removeDataDir, startProduct } from '../harness/process/product.js';
import { makeTestFolder } from '../harness/process/test-folder.js';

export const VICTIMS = ['gateway', 'database', 'both'] as const;
export type Victim = (typeof VICTIMS)[number];

const WRITERS = 4;
const RECOVERY_MS = 60_000;
const CHECKERS = 8;

/**
 * The built product under kill -9, in the middle of writes: agents are created all the time, and
 * after each round every one that was answered with 201 must be there as it was sent.
 */
export class KillRun {
  readonly #dataDir = makeTestFolder();
  /** Names by id. */
  readonly #acknowledged = new Map<string, string>();
  #product: Product | undefined;
  #isOver = false;
  /** Answers that are neither 201 nor "the database is away: try again". */
  readonly #faults = new Set<string>();
  /** What the service said last instead of 201, to explain a run that fails. */
  #refusal = 'nothing was refused';

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** @throws when something acknowledged was lost, or what comes after the kill is not clean. */
  async round(victim: Victim): Promise<void> {
    this.#product ??= await this.#start();
    const before = this.acknowledged;
    this.#isOver = false;
    this.#faults.clear();
    const writers = Array.from({ length: WRITERS }, () => this.#write());
    try {
      await this.#until(() => this.acknowledged > before + WRITERS, 'an agent was created');
      await sleep(randomInt(300)); // wherever in a write that is
      const killed = serverPid(this.#dataDir);
      await this.#kill(victim);
      if (victim === 'database') await this.#seeWritesGoOn(killed);
    } finally {
      this.#isOver = true;
      await Promise.all(writers);
    }
    if (this.#faults.size > 0) {
      const told = errorsIn(this.#product);
      throw new Error(`Refused otherwise than by 503: ${[...this.#faults].join('\n')}\n${told}`);
    }
    this.#product ??= await this.#start();
    await this.#check([...this.#acknowledged].slice(before));
  }

  /** Looks for everything once more, after an end in order, and removes the data. */
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

  async #kill(victim: Victim): Promise<void> {
    const pids = victim === 'gateway' ? [] : serverPids(this.#dataDir);
    for (const pid of pids) killIfThere(pid);
    if (victim === 'database') return;
    await this.#product?.kill();
    this.#product = undefined;
  }

  /** The gateway starts the database again and needs no help; an answer may still be on its way. */
  async #seeWritesGoOn(killed: number): Promise<void> {
    const isAnew = () => isServerReady(this.#dataDir) && serverPid(this.#dataDir) !== killed;
    await this.#until(isAnew, 'the database was started again');
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
    if (!product) throw new Error('There is nothing to look at');
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

/** The server, and every second time its children too, which otherwise see its death and go. */
function serverPids(dataDir: string): number[] {
  const pid = serverPid(dataDir);
  if (randomInt(2) === 0) return [pid];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** The server's children may have seen its death and gone before their turn. */
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

/** Undefined when no whole answer came. */
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
