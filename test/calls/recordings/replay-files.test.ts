import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import type { ReplayHeader } from '../../../agents-runtime/observers/replay/replay-format.js';
import { REPLAY_SUFFIX, ReplayFiles } from '../../../src/calls/recordings/replay-files.js';
import { readReplayFile } from '../../../tools/replay/read-replay-file.js';
import { CONFIG } from '../../support/harness/call/call-harness.js';
import { plainEnv, runNode } from '../../support/harness/process/run-node.js';

const CLI = fileURLToPath(new URL('../../../tools/replay/main.js', import.meta.url));
const QUESTION = 'test/fixtures/replays/question-answered.replay.jsonl.gz';
const HEAD: ReplayHeader = {
  type: 'call',
  format: 'parley.replay',
  version: 2,
  sampleRate: 24_000,
  voiceSampleRates: [24_000],
  replyModels: 1,
  hasEchoCanceller: true,
  hasNoiseReduction: false,
  config: CONFIG,
};
const log = pino({ level: 'silent' });
const root = mkdtempSync(join(tmpdir(), 'parley-replays-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function written(lines: number, pcm: string, maxCharacters?: number) {
  const folder = mkdtempSync(join(root, 'of-'));
  const files = await ReplayFiles.in(folder, log, maxCharacters);
  const sink = files.begin('call-1');
  sink.write(HEAD);
  for (let i = 0; i < lines; i++) sink.write({ t: i * 20, type: 'audio', pcm });
  sink.end();
  await files.close();
  return join(folder, `call-1${REPLAY_SUFFIX}`);
}

describe('replay file', () => {
  it('contains the written lines and is readable by its owner only', async () => {
    const path = await written(100, 'AAAA');
    const { header, lines } = await readReplayFile(path);
    expect(header.config.minSilenceMs).toBe(CONFIG.minSilenceMs);
    expect(lines).toHaveLength(100);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that a crash truncated is read up to its end', async () => {
    const random = Array.from({ length: 400 }, (_, i) => String((i * 7919) % 997)).join('');
    const path = await written(500, Buffer.from(random).toString('base64'));
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length * 0.6));
    const { lines } = await readReplayFile(path);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length).toBeLessThan(500);
  });

  it('ends at its size limit without an effect on the call', async () => {
    const { lines } = await readReplayFile(await written(70, 'A'.repeat(1000), 50_000));
    expect(lines.at(-1)?.type).toBe('full');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThan(60);
  });

  it('that cannot be written does not affect the call', async () => {
    const folder = mkdtempSync(join(root, 'gone-'));
    const files = await ReplayFiles.in(folder, log);
    rmSync(folder, { recursive: true });
    const sink = files.begin('call-1');
    sink.write(HEAD);
    await files.close();
    sink.write({ t: 1, type: 'connected' });
    sink.end();
    expect(readdirSync(root)).not.toContain(folder);
  });

  it.each([
    ['not compressed', Buffer.from('hello'), 'it cannot be decompressed'],
    ['not a replay file', gzipSync('{"type":"other"}\n'), 'no replay file of version 2'],
    ['of another version', gzipSync(`${JSON.stringify({ ...HEAD, version: 1 })}\n`), 'version 1'],
    ['corrupted', gzipSync(`${JSON.stringify(HEAD)}\n{{\n{}\n`), 'Line 2'],
    ['with an unknown line', gzipSync(`${JSON.stringify(HEAD)}\n{"t":1}\n`), 'Line 2'],
  ])('is refused: %s', async (name, bytes, reason) => {
    const path = join(root, name);
    writeFileSync(path, bytes);
    await expect(readReplayFile(path)).rejects.toThrow(reason);
  });
});

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return runNode([CLI, ...args], { cwd: process.cwd(), env: { ...plainEnv(), ...env } });
}

describe('npm run replay', () => {
  it('prints the timeline and reports no differences', async () => {
    const { code, output } = await run([QUESTION]);
    expect(output).toMatch(/^question-answered\.\S+: [\d.]+ s of call in [\d.]+ s\n/);
    expect(output).toMatch(/ user {4}“.*swim.*”/i);
    expect(output).toMatch(/No difference: \d+ events\.\n$/);
    expect(code).toBe(0);
  });

  it('prints differences and exits with 1', async () => {
    const path = join(root, `other${REPLAY_SUFFIX}`);
    const rows = gunzipSync(readFileSync(QUESTION)).toString().split('\n');
    const other = rows.map((row) => row.replace('"state":"thinking"', '"state":"initializing"'));
    writeFileSync(path, gzipSync(other.join('\n')));
    const { code, output } = await run(['--quiet', path]);
    expect(output).toMatch(/^- +[\d.]+ {2}state {3}initializing$/m);
    expect(output).toMatch(/^\+ +[\d.]+ {2}state {3}thinking$/m);
    expect(code).toBe(1);
  });

  it('prints where turns would end with another setting', async () => {
    const settings = ['--set', 'min_endpointing_delay=2.5', '--set', 'max_endpointing_delay=2.5'];
    const { code, output } = await run(['--quiet', ...settings, QUESTION], { MODELS_CACHE: root });
    expect(output).toMatch(/^- speech ended +[\d.]+, taken after +\d+ ms {2}“.*swim/im);
    expect(output).toMatch(/^\+ speech ended +[\d.]+, taken after +2\d\d\d ms {2}“.*swim/im);
    expect(code).toBe(0);
  });

  it.each([
    [[], 'usage: npm run replay'],
    [['--set', 'mood=good', QUESTION], '--set accepts min_silence_duration'],
    [['--set', 'min_endpointing_delay=long', QUESTION], 'min_endpointing_delay must not be long'],
    [['/no/such/file'], 'The file does not exist'],
  ])('rejects %j', async (args, reason) => {
    const { code, output } = await run(args);
    expect(output).toContain(reason);
    expect(code).toBe(2);
  });
});
