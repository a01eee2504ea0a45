import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { callArtifactRoutes } from '../../../src/calls/artifacts/call-artifacts.routes.js';
import { CallTurnsRepository } from '../../../src/calls/store/call-turns.repository.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { SignedLinks } from '../../../src/platform/http/signed-links.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { insertCall, type TurnSeed } from '../../support/harness/postgres/call-rows.js';

let origin: string | undefined;
let clockMs: number | undefined;

/** Recordings have separate tests. */
const NO_RECORDINGS = {
  prepare: async () => 'not_recorded' as const,
  fileOf: async () => undefined,
};

const plane = withControlPlane({
  routes: (db, secrets) =>
    callArtifactRoutes({
      calls: new CallsRepository(db, 0),
      turns: new CallTurnsRepository(db, { record: async () => undefined }),
      recordings: NO_RECORDINGS,
      links: new SignedLinks(secrets, () => clockMs ?? Date.now()),
      origin: () => origin,
    }),
});

/** Requests a raw target, because fetch would normalise it. */
async function statusOf(target: string): Promise<number | undefined> {
  const clientRequest = request(plane.url, { path: target }).end();
  const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const LATENCY = {
  turn: 1,
  endpointing: 500,
  stt: 20,
  knowledge: 5,
  llm: 100,
  chunk: 30,
  tts: 45,
  playout: 100,
  total: 800,
};

const TURNS: readonly TurnSeed[] = [
  { role: 'agent', text: 'Hello, city pool!' },
  { role: 'user', text: 'When do you open? ☕' },
  {
    role: 'agent',
    text: 'We open at…',
    latency: LATENCY,
    tools: [
      {
        name: 'hours',
        kind: 'webhook',
        arguments: '{"day":"today"}',
        result: 'six',
        started_ms: 121_000,
        duration_ms: 240,
        outcome: 'ok',
      },
    ],
    sources: [{ knowledge_base_id: 3, document_id: 7, title: 'Hours', passage: 'Six to ten.' }],
    providers: { models: ['a', 'b'], voices: ['c'] },
  },
];

async function callWithTurns(turns: readonly TurnSeed[] = TURNS) {
  origin = plane.url;
  clockMs = undefined;
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const startedAt = new Date('2026-02-10T12:00:00Z');
  const callId = await insertCall(plane.database.db, { accountId, startedAt, turns });
  return { ask, callId, path: `/agent/call-history/${callId}` };
}

async function linkOf(format?: string) {
  const { ask, path, callId } = await callWithTurns();
  const query = format ? `?format=${format}` : '';
  const { status, body } = await ask('GET', `${path}/transcript${query}`);
  expect(status).toBe(200);
  return { url: new URL(body.url), callId };
}

describe('transcript', () => {
  it('is returned as JSON by a link without a key', async () => {
    const { url, callId } = await linkOf();
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const transcript = JSON.parse(await response.text());
    expect(transcript).toMatchObject({ call_id: callId, started_at: '2026-02-10T12:00:00.000Z' });
    expect(transcript.turns).toMatchObject([
      { index: 0, role: 'agent', speaker: 'Pool', cut: false, start_ms: 0, end_ms: 900, tools: [] },
      {
        index: 1,
        role: 'user',
        speaker: 'Caller',
        cut: false,
        start_ms: 61_000,
        sources: [],
        providers: {},
      },
      {
        index: 2,
        role: 'agent',
        cut: true,
        latency: LATENCY,
        sources: TURNS[2]!.sources,
        providers: TURNS[2]!.providers,
      },
    ]);
    expect(transcript.turns.map(({ text }: { text: string }) => text)).toEqual(
      TURNS.map(({ text }) => text),
    );
    expect(transcript.turns[2].tools).toEqual([
      { ...TURNS[2]!.tools![0], arguments: { day: 'today' } },
    ]);
    const { turn: _, total, ...parts } = LATENCY;
    expect(transcript.latency).toEqual({
      turns: 1,
      p50_ms: total,
      max_ms: total,
      mean_ms: { ...parts, total },
    });
    expect(transcript.is_complete).toBe(true);
  });

  it('is returned as text if requested', async () => {
    const { url } = await linkOf('text');
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe(
      '[00:00] Pool: Hello, city pool!\n[01:01] Caller: When do you open? ☕\n' +
        '[02:01] (hours: ok, 240 ms)\n[02:02] Pool: We open at… —\n',
    );
  });

  it.each([
    ['vtt', 'text/vtt; charset=utf-8', '00:01:01.000 --> 00:01:01.900\n<v Caller>When do'],
    [
      'srt',
      'application/x-subrip; charset=utf-8',
      '2\n00:01:01,000 --> 00:01:01,900\nCaller: When',
    ],
  ])('is returned as %s subtitles', async (format, type, part) => {
    const { url } = await linkOf(format);
    expect(url.pathname).toMatch(new RegExp(`/transcript\\.${format}$`));
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe(type);
    expect(await response.text()).toContain(part);
  });

  it('returns 422 for an unknown format', async () => {
    const { ask, path } = await callWithTurns();
    const { status, body } = await ask('GET', `${path}/transcript?format=doc`);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'format']]);
    expect(body.detail[0].msg).toContain("'vtt'");
  });

  it('contains all turns of a very long call in order', async () => {
    const turns = Array.from({ length: 1_203 }, (_, i) => ({
      role: i % 2 === 0 ? ('agent' as const) : ('user' as const),
      text: `Turn ${i}.`,
    }));
    const { ask, path } = await callWithTurns(turns);
    for (const format of ['json', 'vtt']) {
      const { body } = await ask('GET', `${path}/transcript?format=${format}`);
      const responseText = await (await fetch(body.url)).text();
      const numbers = [...responseText.matchAll(/Turn (\d+)\./g)].map(([, number]) =>
        Number(number),
      );
      expect(numbers).toEqual(turns.map((_, i) => i));
    }
  });

  it('supports Range requests', async () => {
    const { url } = await linkOf('text');
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    const part = async (range: string) => {
      const response = await fetch(url, { headers: { range } });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    for (const [range, from, to] of [
      ['bytes=0-6', 0, 7],
      ['bytes=8-', 8, whole.length],
      ['bytes=-5', whole.length - 5, whole.length],
      ['bytes=3-999999', 3, whole.length],
    ] as const) {
      const { response, bytes } = await part(range);
      expect(response.status).toBe(206);
      expect(bytes).toEqual(whole.subarray(from, to));
      expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
    }
    const beyond = await part('bytes=999999-');
    expect(beyond.response.status).toBe(416);
    expect(beyond.response.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'nonsense']) {
      const { response, bytes } = await part(range);
      expect([response.status, bytes.length]).toEqual([200, whole.length]);
    }
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(whole.length));
    expect(head.headers.get('accept-ranges')).toBe('bytes');
  });

  it('returns 404 for a call without turns and for an unknown call', async () => {
    const { ask, path } = await callWithTurns([]);
    expect((await ask('GET', `${path}/transcript`)).body.code).toBe('TRANSCRIPT_NOT_FOUND');
    for (const id of [randomUUID(), 'x', '%27']) {
      const { status, body } = await ask('GET', `/agent/call-history/${id}/transcript`);
      expect([status, body.code]).toEqual([404, 'CALL_NOT_FOUND']);
    }
  });

  it('returns 404 for another account', async () => {
    const { path } = await callWithTurns();
    const other = await plane.asNewAccount();
    expect((await other('GET', `${path}/transcript`)).body.code).toBe('CALL_NOT_FOUND');
    expect((await other('GET', `${path}/recording`)).body.code).toBe('CALL_NOT_FOUND');
  });

  it('returns 503 while the public URL is unknown', async () => {
    const { ask, path } = await callWithTurns();
    origin = undefined;
    const { status, body } = await ask('GET', `${path}/transcript`);
    expect([status, body.code]).toEqual([503, 'PUBLIC_URL_REQUIRED']);
  });
});

describe('download link', () => {
  it('is valid for an hour', async () => {
    const madeMs = Date.now();
    const { url } = await linkOf();
    clockMs = madeMs + 3_590_000;
    expect((await fetch(url)).status).toBe(200);
    clockMs = madeMs + 3_601_000;
    const late = await fetch(url);
    expect([late.status, JSON.parse(await late.text()).code]).toEqual([403, 'FORBIDDEN']);
  });

  it('is refused if only URL normalisation makes its path equal to the signed one', async () => {
    const { url } = await linkOf();
    const { pathname, search } = url;
    for (const path of [
      pathname.replace('/downloads/', '/downloads/x\\..\\'),
      pathname.replace('/transcript', '/x\\..\\transcript'),
      pathname.replace('/transcript', '/x%5c..%5ctranscript'),
      `${pathname}/`,
    ]) {
      expect([path, await statusOf(path + search)]).toEqual([path, 403]);
    }
    expect(await statusOf(pathname + search)).toBe(200);
  });

  it('is refused after any change', async () => {
    const { url } = await linkOf();
    const { callId: other } = await callWithTurns();
    const altered = (change: (copy: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return copy;
    };
    for (const copy of [
      altered((one) => one.searchParams.set('expires', '99999999999')),
      altered((one) => one.searchParams.delete('signature')),
      altered((one) => one.searchParams.set('signature', 'AAAA')),
      altered((one) => {
        one.pathname = one.pathname.replace('.json', '.txt');
      }),
      altered((one) => {
        one.pathname = `/api/v1/downloads/${other}/transcript.json`;
      }),
    ]) {
      expect((await fetch(copy)).status).toBe(403);
    }
    const otherLinks = new SignedLinks(new SecretKeys(['another secret altogether']));
    expect((await fetch(plane.url + otherLinks.sign(url.pathname))).status).toBe(403);
  });

  it('stays valid after a rotation of the secret while the old one is configured', () => {
    const [old, young] = ['the older of the secrets', 'the newer of the secrets'];
    const link = new SignedLinks(new SecretKeys([old])).sign('/x');
    expect(new SignedLinks(new SecretKeys([young, old])).isValid(link)).toBe(true);
    expect(new SignedLinks(new SecretKeys([young])).isValid(link)).toBe(false);
  });
});
