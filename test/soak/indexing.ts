import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeAgent, requestConnection } from '../bench/bench-agent.js';
import { machineNow, numberBehind } from '../bench/comparison.js';
import { CallersProcess } from '../bench/density/callers-process.js';
import { profiling } from '../bench/density/density.js';
import { freePort, type RunningGateway, startGateway } from '../bench/gateway.js';
import { boundOf, type Counts, countsOf } from '../bench/histogram.js';
import { distractors, questionPairs } from '../support/corpora/retrieval-corpus.js';
import { type Percentiles, percentilesOf } from '../support/harness/endpointing/percentiles.js';

const PROGRAM = fileURLToPath(new URL('./indexing-gateway.js', import.meta.url));
const AGENT = {
  greeting: 'Hello, this is the flower shop.',
  prompt: 'Twelve red roses cost thirty dollars, with a vase.',
  recording_enabled: true,
  max_call_duration_seconds: 3 * 3600,
};
const DOCUMENTS = 5_000;
const CALLS = 10;
/** Sentences per document: about 150 words. */
const SENTENCES = 10;
const UPLOADS_AT_ONCE = 8;
/** Duration of the measurement before and after indexing, in milliseconds. */
const ALONE_MS = 45_000;
const SETTLE_MS = 8_000;
const LOOK_EVERY_MS = 1_000;
const SEARCH_EVERY_MS = 250;
/** Maximum indexing time per document while calls use almost all CPU time. */
const MAX_MS_A_DOCUMENT = 2_000;
/** Frames are on time up to this lateness in milliseconds. */
const BAR_LATENESS_MS = 20;
/** A turn waits at most one second for a search that starts before the turn ends. */
const BAR_SEARCH_P99_MS = 500;

/** Figures of the calls in a period. */
interface While {
  readonly latenessP99Ms: number;
  readonly answers: number;
  readonly unanswered: number;
  readonly searchMs: Percentiles;
}

/**
 * `npm run soak -- indexing --documents 5000 --calls 10`: adds files to the knowledge base of an
 * agent in recorded calls with local models, as fast as possible. Until all are indexed, frames
 * must be on time and searches must meet their limit.
 */
export async function run(args: readonly string[]): Promise<number> {
  const documents = numberBehind(args, '--documents', DOCUMENTS);
  const calls = numberBehind(args, '--calls', CALLS);
  const searchPort = await freePort();
  const gateway = await startGateway({
    program: [...profiling(args), PROGRAM],
    env: { CONCURRENT_CALLS: '0', REQUESTS_PER_MINUTE: '0', SOAK_PORT: String(searchPort) },
  });
  const callers = await CallersProcess.start();
  try {
    const kbId = await knowledgeBase(gateway);
    const agentId = await makeAgent(gateway, AGENT);
    await ask(gateway, 'POST', `/agent/${agentId}/assign-knowledge-base`, { kb_id: kbId });
    await ask(gateway, 'POST', `/agent/${agentId}/deploy`, {});
    for (let i = 0; i < calls; i++) {
      await callers.order({ type: 'call', details: await requestConnection(gateway, agentId) });
      await sleep(200);
    }
    await sleep(SETTLE_MS);
    const observed = { gateway, callers, kbId, searchPort };
    const alone = await observe(observed, () => sleep(ALONE_MS));
    console.log(`alone          ${line(alone)}`);
    const startedAt = performance.now();
    const whiles = [await observe(observed, () => upload(gateway, kbId, documents))];
    console.log(`while sent     ${line(whiles[0]!)}`);
    console.log(`${documents} documents were sent in ${minutesSince(startedAt)} min`);
    let message = '';
    const follow = async () => {
      message = await indexed(gateway, kbId, documents);
    };
    whiles.push(await observe(observed, follow));
    console.log(`while indexed  ${line(whiles[1]!)}`);
    const { lost } = await callers.order({ type: 'report' });
    return verdict({ alone, whiles, message, lost, minutes: minutesSince(startedAt) });
  } finally {
    callers.stop();
    await gateway.close();
  }
}

function verdict(run: {
  readonly alone: While;
  readonly whiles: readonly While[];
  readonly message: string;
  readonly lost: readonly string[];
  readonly minutes: string;
}): number {
  const { alone, whiles, message, lost, minutes } = run;
  const latenessP99Ms = Math.max(...whiles.map((one) => one.latenessP99Ms));
  const searchP99Ms = Math.max(...whiles.map(({ searchMs }) => searchMs.p99));
  const ratio = latenessP99Ms / alone.latenessP99Ms;
  const verdicts = [
    {
      isMet: latenessP99Ms <= BAR_LATENESS_MS,
      what: `frames late p99: ${latenessP99Ms.toFixed(1)} ms, ${ratio.toFixed(2)} of alone (bar ${BAR_LATENESS_MS} ms)`,
    },
    {
      isMet: searchP99Ms <= BAR_SEARCH_P99_MS,
      what: `search p99: ${searchP99Ms.toFixed(0)} ms (bar ${BAR_SEARCH_P99_MS})`,
    },
    { isMet: lost.length === 0, what: `calls lost: ${lost.length} ${lost.slice(0, 3).join(', ')}` },
    {
      isMet: message.startsWith('ready') && !message.includes('not indexed'),
      what: `all documents after ${minutes} min: ${message}`,
    },
  ];
  console.log(JSON.stringify(machineNow()));
  for (const { isMet, what } of verdicts) console.log(`${isMet ? 'met   ' : 'missed'} ${what}`);
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

function line({ latenessP99Ms, answers, unanswered, searchMs }: While): string {
  const { count, p50, p95, p99 } = searchMs;
  const searches = [p50, p95, p99].map((ms) => ms.toFixed(1)).join(' ');
  return `frames late p99 ${latenessP99Ms.toFixed(1)} ms; ${answers} answers, ${unanswered} missed; ${count} searches, p50 p95 p99: ${searches} ms`;
}

function minutesSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 60_000).toFixed(1);
}

/** Searches repeatedly during some work, and compares the calls' figures before and after it. */
async function observe(
  of: {
    readonly gateway: RunningGateway;
    readonly callers: CallersProcess;
    readonly kbId: number;
    readonly searchPort: number;
  },
  work: () => Promise<unknown>,
): Promise<While> {
  const { gateway, callers, kbId, searchPort } = of;
  const before = {
    lateness: await lateness(gateway),
    ...(await callers.order({ type: 'report' })),
  };
  const over = new AbortController();
  const searches = searching(searchPort, kbId, over.signal);
  searches.catch(() => undefined);
  try {
    await Promise.race([work(), searches]); // a failed search ends the period
  } finally {
    over.abort();
  }
  const searchMs = percentilesOf(await searches);
  const after = await callers.order({ type: 'report' });
  return {
    latenessP99Ms: 1_000 * boundOf(0.99, before.lateness, await lateness(gateway)),
    answers: after.answers - before.answers,
    unanswered: after.unanswered - before.unanswered,
    searchMs,
  };
}

/** @returns the duration of each search in ms; questions differ, so that no result is cached */
async function searching(port: number, kbId: number, signal: AbortSignal): Promise<number[]> {
  const all: number[] = [];
  const pairs = questionPairs();
  while (!signal.aborted) {
    const question = `${pairs[all.length % pairs.length]!.question} ${all.length} ${port}`;
    const query = new URLSearchParams({ kb: String(kbId), question });
    const answer = await fetch(`http://127.0.0.1:${port}/?${query}`);
    const { ms, found } = (await answer.json()) as { ms: number; found: number };
    // The search is available after the first call.
    if (found === 0 && all.length > 0) throw new Error('A search found nothing');
    if (found > 0) all.push(ms);
    await sleep(SEARCH_EVERY_MS);
  }
  return all;
}

async function lateness({ url }: RunningGateway): Promise<Counts> {
  return countsOf(await (await fetch(`${url}/metrics`)).text(), 'frame_lateness_seconds');
}

/** Starts with one document, so that the first searches have a result. */
async function knowledgeBase(gateway: RunningGateway): Promise<number> {
  const content = 'Twelve red roses cost thirty dollars, with a vase and a card.';
  const body = { name: 'Soak', documents: [{ content }] };
  const { kb_id: kbId } = await ask<{ kb_id: number }>(gateway, 'POST', '/knowledge-base/', body);
  await indexed(gateway, kbId, 1);
  return kbId;
}

async function upload(gateway: RunningGateway, kbId: number, count: number): Promise<void> {
  const sentences = distractors();
  let next = 0;
  const one = async () => {
    for (let i = next++; i < count; i = next++) {
      const text = Array.from(
        { length: SENTENCES },
        (_, s) => sentences[(i * 7 + s * 211) % sentences.length]!,
      ).join(' ');
      const form = new FormData();
      form.set('file', new Blob([`Document ${i}\n\n${text}`]), `document-${i}.txt`);
      await ask(gateway, 'POST', `/knowledge-base/${kbId}/documents`, form);
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, one));
}

/** @returns the last status message of the knowledge base */
async function indexed(gateway: RunningGateway, kbId: number, documents: number): Promise<string> {
  const until = performance.now() + 60_000 + documents * MAX_MS_A_DOCUMENT;
  for (;;) {
    await sleep(LOOK_EVERY_MS);
    // The list contains no document texts, so polling it costs little CPU time.
    const { items } = await ask<{ items: readonly { kb_id: number; message: string }[] }>(
      gateway,
      'GET',
      '/knowledge-base/',
    );
    const message = items.find((one) => one.kb_id === kbId)?.message ?? 'gone';
    if (!message.startsWith('indexing') || performance.now() > until) return message;
  }
}

async function ask<T>(
  { url, key }: RunningGateway,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<T>;
}
