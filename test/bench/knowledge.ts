import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { AccountsRepository } from '../../src/features/auth/accounts.repository.js';
import { IndexingRepository } from '../../src/features/knowledge/indexing/indexing.repository.js';
import { KnowledgeRepository } from '../../src/features/knowledge/knowledge.repository.js';
import { connect, urlOf } from '../../src/platform/db/connect.js';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { distractors, questionPairs } from '../support/corpora/retrieval-corpus.js';
import { type Percentiles, percentilesOf } from '../support/harness/endpointing/percentiles.js';
import { freePort } from '../support/harness/process/free-port.js';
import { CACHE } from '../support/harness/process/test-folder.js';
import { makeAgent, requestConnection } from './bench-agent.js';
import { machineNow } from './comparison.js';
import { CallersProcess } from './density/callers-process.js';
import { startGateway } from './gateway.js';

const PROGRAM = fileURLToPath(new URL('./knowledge-gateway.js', import.meta.url));
const MODEL = 'minilm-l6-v2-int8';
const DIMENSIONS = 384;
/** Number of passages in the target. */
const PASSAGES = 10_000;
const CALLS = 20;
const BAR_P99_MS = 15;
/** Sentences per passage: about a hundred tokens, one vector. */
const SENTENCES = 5;
const SEARCHES = 500;
const SETTLE_MS = 4_000;

/**
 * Measures searches in ten thousand passages on the thread of a gateway with twenty calls, with the
 * question's vector given and computed. `--json` prints JSON.
 */
export async function run(args: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-knowledge-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, cacheDir: CACHE });
  const db = connect(server.connection);
  try {
    await migrate(db);
    const accountId = await new AccountsRepository(db).insert('A bench');
    const kbId = await fill(db, accountId);
    const figures = await measure(kbId, urlOf(server.connection));
    const isMet = figures.known.p99 <= BAR_P99_MS;
    const all = { machine: machineNow(), passages: PASSAGES, calls: CALLS, ...figures };
    if (args.includes('--json')) console.log(JSON.stringify({ ...all, isMet }, undefined, 2));
    else {
      console.log(`${PASSAGES} passages, ${CALLS} calls, ms:`);
      console.log(`  search            ${line(figures.known)} (bar: p99 ${BAR_P99_MS})`);
      console.log(`  with its vector   ${line(figures.whole)}`);
    }
    return isMet ? 0 : 1;
  } finally {
    await db.destroy();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function line({ p50, p95, p99, max }: Percentiles): string {
  return [p50, p95, p99, max].map((ms) => ms.toFixed(1).padStart(7)).join(' ');
}

/** Inserts passages of real words with random vectors, as if they were indexed. */
async function fill(db: Knex, accountId: string): Promise<number> {
  const knowledge = new KnowledgeRepository(db, MODEL);
  const repository = new IndexingRepository(db, MODEL);
  const documents = [{ content: 'All', metadata: {} }];
  const { kbId } = await knowledge.insert(accountId, { name: 'Bench', documents });
  const sentences = distractors();
  const passages = Array.from({ length: PASSAGES }, (_, i) => ({
    title: '',
    text: Array.from(
      { length: SENTENCES },
      (_, s) => sentences[(i * 7 + s * 211) % sentences.length]!,
    ).join(' '),
  }));
  await repository.transaction(async (transaction) => {
    const [document] = (await repository.claim(transaction, 1))!.documents;
    const of = { kbId, document: document!, language: 'en' };
    await repository.insertPassages(transaction, of, passages);
    for (;;) {
      const batch = await repository.withoutVectors(transaction, [document!.id], 500);
      if (batch.length === 0) break;
      const vectors = new Map(batch.map(({ id }) => [id, [direction()]]));
      await repository.storeVectors(transaction, kbId, vectors);
    }
    await repository.markIndexed(transaction, [document!.id]);
  });
  await db.raw('vacuum analyze passages');
  return kbId;
}

function direction(): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

async function measure(kbId: number, databaseUrl: string) {
  const port = await freePort();
  const gateway = await startGateway({
    program: [PROGRAM],
    env: { DATABASE_URL: databaseUrl, BENCH_PORT: String(port), CONCURRENT_CALLS: '0' },
  });
  const callers = await CallersProcess.start();
  try {
    const agentId = await makeAgent(gateway, {
      greeting: 'Hello.',
      prompt: 'Twelve red roses cost thirty dollars.',
      max_call_duration_seconds: 3_600,
    });
    for (let i = 0; i < CALLS; i++) {
      await callers.order({ type: 'call', details: await requestConnection(gateway, agentId) });
    }
    await sleep(SETTLE_MS);
    const times = async (how: 'known' | 'whole'): Promise<Percentiles> => {
      const all: number[] = [];
      const pairs = questionPairs();
      for (let i = 0; i < SEARCHES; i++) {
        const question = `${pairs[i % pairs.length]!.question} ${how} ${i}`;
        const query = new URLSearchParams({ kb: String(kbId), question });
        const answer = await fetch(`http://127.0.0.1:${port}/${how}?${query}`);
        const { ms, found } = (await answer.json()) as { ms: number; found: number };
        if (found === 0) throw new Error('A search found nothing');
        if (i >= 10) all.push(ms); // the first searches load the vectors
      }
      return percentilesOf(all);
    };
    return { known: await times('known'), whole: await times('whole') };
  } finally {
    callers.stop();
    await gateway.close();
  }
}
