import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Product } from '../../harness/process/product.js';
import { makeTestFolder } from '../../harness/process/test-folder.js';
import { Coercions } from './coercions.js';

const FILES = resolve('test/fixtures/schemathesis');

export interface RunOptions {
  /** Python interpreter of the environment with schemathesis. */
  readonly python: string;
  /** `examples`, `coverage`, `fuzzing`, `stateful` */
  readonly phases: readonly string[];
  readonly maxExamples: number;
  /** Default: every run generates the same cases. */
  readonly seed?: number;
  /** Additional command-line arguments. */
  readonly more?: readonly string[];
}

export interface FuzzingResult {
  readonly exitCode: number;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly cases: number;
  /** Number of failures per accepted coercion. */
  readonly explained: ReadonlyMap<string, number>;
  /** All other failures, with request and response. */
  readonly findings: readonly string[];
  /** Output of schemathesis. */
  readonly output: string;
}

/** Runs schemathesis against a running product and classifies its findings. */
export async function runSchemathesis(
  product: Product,
  options: RunOptions,
): Promise<FuzzingResult> {
  const folder = makeTestFolder();
  try {
    const report = join(folder, 'report.ndjson');
    const { exitCode, output } = await runProgram(product, options, folder, report);
    const response = await fetch(`${product.url}/openapi.json`);
    const document = (await response.json()) as Part;
    return { exitCode, output, ...(await classify(report, document)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runProgram(product: Product, options: RunOptions, cwd: string, report: string) {
  const { python, phases, maxExamples, seed, more = [] } = options;
  const config = join(FILES, 'schemathesis.toml');
  const child = spawn(
    join(python, '../st'),
    [
      ...['--config-file', config, 'run', `${product.url}/openapi.json`],
      ...['--phases', phases.join(','), '--max-examples', String(maxExamples)],
      ...(seed === undefined ? ['--generation-deterministic'] : ['--seed', String(seed)]),
      ...['--report', 'ndjson', '--report-ndjson-path', report, ...more],
    ],
    {
      cwd,
      env: {
        ...process.env,
        PYTHONPATH: FILES,
        PYTHONDONTWRITEBYTECODE: '1',
        PARLEY_KEY: product.apiKey,
        PARLEY_KEY_ID: String(await keyIdOf(product)),
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode: exitCode ?? -1, output };
}

/** The ID of the run's API key, which the run must not delete. */
async function keyIdOf({ url, apiKey }: Product): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${url}/api/v1/auth/api-key`, { headers });
  const { api_keys } = (await response.json()) as { api_keys: readonly { id: number }[] };
  return Math.min(...api_keys.map(({ id }) => id));
}

// biome-ignore lint/suspicious/noExplicitAny: the report is read property by property
type Part = any;

async function classify(report: string, document: Part) {
  const coercions = new Coercions(document.components.schemas);
  const explained = new Map<string, number>();
  const findings: string[] = [];
  const tested = new Set<string>();
  let cases = 0;
  for await (const line of createInterface({ input: createReadStream(report) })) {
    const [[kind, event]] = Object.entries<Part>(JSON.parse(line)) as [[string, Part]];
    if (/Error|Interrupted/.test(kind))
      findings.push(`${kind}: ${JSON.stringify(event).slice(0, 2_000)}`);
    const { label, checks = {}, interactions = {} } = event?.recorder ?? {};
    if (kind !== 'ScenarioFinished' || !label) continue;
    tested.add(label);
    cases += Object.keys(interactions).length;
    for (const [id, all] of Object.entries<Part[]>(checks)) {
      for (const check of all.filter(({ status }) => status === 'failure')) {
        const names = explanationOf(check, interactions[id], document, coercions);
        for (const name of names ?? []) explained.set(name, (explained.get(name) ?? 0) + 1);
        if (!names) findings.push(describeFinding(label, check, interactions[id]));
      }
    }
  }
  const total = Object.values<Part>(document.paths).flatMap((path) => Object.keys(path)).length;
  return { operations: { total, tested: tested.size }, cases, explained, findings };
}

function explanationOf(check: Part, { request }: Part, document: Part, coercions: Coercions) {
  if (check.name !== 'negative_data_rejection' || !request.body) return undefined;
  const operation: string = check.failure_info?.failure.operation ?? '';
  const [method = '', path = ''] = operation.split(' ');
  const content = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content;
  const schema = content?.['application/json']?.schema;
  if (!schema) return undefined;
  try {
    const body = JSON.parse(Buffer.from(request.body.$base64, 'base64').toString());
    return coercions.explaining(schema, body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // invalid JSON is no coercion
    throw error;
  }
}

function describeFinding(label: string, check: Part, { request, response }: Part): string {
  const bytes = (body: Part) => Buffer.from(body?.$base64 ?? '', 'base64').toString();
  return [
    `${label}: ${check.name}: ${check.failure_info?.failure.message}`,
    `${request.method} ${request.uri} ${bytes(request.body).slice(0, 1_500)}`,
    `${response?.status_code} ${bytes(response?.content).slice(0, 500)}`,
  ].join('\n  ');
}
