import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { callArtifactRoutes } from '../../../src/calls/artifacts/call-artifacts.routes.js';
import { fileKey, spoolKey } from '../../../src/calls/recordings/recording-files.js';
import type { RecordingService } from '../../../src/calls/recordings/recordings.service.js';
import { CallTurnsRepository } from '../../../src/calls/store/call-turns.repository.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { SignedLinks } from '../../../src/platform/http/signed-links.js';
import type { ObjectStore } from '../../../src/platform/storage/object-store.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import {
  AGENT_RATE,
  openRecordingGateway,
  type RecordingGateway,
  recordTones,
  untilSpooled,
  untilWritten,
} from '../../support/harness/app/recordings-app.js';
import { insertCall } from '../../support/harness/postgres/call-rows.js';

let gateway: RecordingGateway;
let clockMs: number | undefined;

const plane = withControlPlane({
  routes: (db, secrets) =>
    callArtifactRoutes({
      calls: new CallsRepository(db, 0),
      turns: new CallTurnsRepository(db, { record: async () => undefined }),
      recordings: {
        prepare: (call) => gateway.recordings.prepare(call),
        fileOf: (call) => gateway.recordings.fileOf(call),
      },
      links: new SignedLinks(secrets, () => clockMs ?? Date.now()),
      origin: () => plane.url,
    }),
});

beforeAll(async () => {
  gateway = await openRecordingGateway(plane.database.db);
});

/** An ended or running call; a gateway records `seconds` of audio. */
async function call({ seconds = 3, isOver = true, isRecorded = true, by = () => gateway } = {}) {
  clockMs = undefined;
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const startedAt = new Date('2026-02-10T12:00:00Z');
  const callId = await insertCall(plane.database.db, {
    accountId,
    startedAt,
    seconds: isOver ? seconds : null,
  });
  if (isRecorded) {
    const sink = by().recordings.begin(callId, AGENT_RATE);
    recordTones(sink, seconds);
    if (isOver) sink.end(seconds * 1000);
  }
  const recording = () => ask('GET', `/agent/call-history/${callId}/recording`);
  return { ask, callId, recording };
}

const fetched = async (url: string | URL, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

describe('recording', () => {
  it('is mixed down on request and returned as MP3 by a link without a key', async () => {
    const { recording, callId } = await call();
    const { status, body } = await recording();
    expect([status, body.status]).toEqual([200, 'ready']);
    const { response, bytes } = await fetched(body.url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('content-disposition')).toContain('recording.mp3');
    // 64 kbit/s: 3 s have 24,000 bytes plus one or two frames.
    expect(bytes.length).toBeGreaterThanOrEqual(24_000);
    expect(bytes.length).toBeLessThan(25_500);
    expect(bytes.readUInt16BE(0) & 0xffe0).toBe(0xffe0);
    expect(await gateway.objectStore.size(spoolKey(callId))).toBeUndefined();
    const left = () => readdirSync(join(gateway.dataDir, 'recordings'));
    await expect.poll(left).toEqual(['drafts']);
    expect(readdirSync(join(gateway.dataDir, 'recordings/drafts'))).toEqual([]);
  });

  it('supports Range requests, up to its end', async () => {
    const { recording } = await call();
    const { url } = (await recording()).body;
    const { bytes: whole } = await fetched(url);
    for (const [range, from, to] of [
      ['bytes=0-6', 0, 7],
      ['bytes=10000-', 10_000, whole.length],
      ['bytes=-5', whole.length - 5, whole.length],
      ['bytes=3-999999999', 3, whole.length],
    ] as const) {
      const { response, bytes } = await fetched(url, { range });
      expect(response.status).toBe(206);
      expect(bytes.equals(whole.subarray(from, to))).toBe(true);
      expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
    }
    const beyond = await fetched(url, { range: `bytes=${whole.length}-` });
    expect(beyond.response.status).toBe(416);
    expect(beyond.response.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(whole.length));
  });

  it('is mixed down once for concurrent requests', async () => {
    const { recording } = await call();
    const answers = await Promise.all(Array.from({ length: 8 }, recording));
    expect(answers.map(({ body }) => body.status)).toEqual(Array(8).fill('ready'));
    const files = await Promise.all(answers.map(({ body }) => fetched(body.url)));
    expect(new Set(files.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1);
  });

  it('is announced by one webhook event when it is available', async () => {
    const { recording, callId } = await call();
    await recording();
    await recording();
    const announced = gateway.events.filter((event) => event.callId === callId);
    expect(announced).toMatchObject([{ event: 'recording.ready', data: { duration_seconds: 3 } }]);
  });

  it('of a running call has the status "processing"', async () => {
    const { recording } = await call({ isOver: false });
    expect((await recording()).body).toEqual({ status: 'processing', url: null });
  });

  it('of a call of zero length is playable', async () => {
    const { recording } = await call({ seconds: 0 });
    const { body } = await recording();
    expect(body.status).toBe('ready');
    const { bytes } = await fetched(body.url);
    expect(bytes.length).toBeGreaterThan(100);
  });

  it('returns 404 for a call without a recording, for another account and for an unknown call', async () => {
    const { recording, callId } = await call({ isRecorded: false });
    expect((await recording()).body).toEqual({ status: 'not_recorded', url: null });
    const other = await plane.asNewAccount();
    for (const id of [callId, randomUUID(), 'x']) {
      const { status, body } = await other('GET', `/agent/call-history/${id}/recording`);
      expect([status, body.code]).toEqual([404, 'CALL_NOT_FOUND']);
    }
  });

  it('has links that are refused after a change or expiry', async () => {
    const { recording } = await call();
    const { callId: other } = await call();
    const url = new URL((await recording()).body.url);
    const altered = new URL(url);
    altered.pathname = `/api/v1/downloads/${other}/recording.mp3`;
    expect((await fetch(altered)).status).toBe(403);
    altered.pathname = url.pathname;
    altered.searchParams.set('expires', '99999999999');
    expect((await fetch(altered)).status).toBe(403);
    clockMs = Date.now() + 3_601_000;
    expect((await fetch(url)).status).toBe(403);
  });

  it('is deleted everywhere', async () => {
    const finishedCall = await call();
    const { url } = (await finishedCall.recording()).body;
    const spooled = await call();
    const running = await call({ isOver: false });
    for (const { callId } of [finishedCall, spooled, running]) {
      await gateway.recordings.deleteRecording(callId);
      await gateway.recordings.deleteRecording(callId);
    }
    await plane.database.db('calls').where({ call_id: running.callId }).update({
      state: 'ended',
      ended_at: new Date(),
    });
    for (const { recording, callId } of [finishedCall, spooled, running]) {
      expect((await recording()).body).toEqual({ status: 'not_recorded', url: null });
      // A recording that was being stored during its deletion is deleted again.
      await expect.poll(() => gateway.objectStore.size(spoolKey(callId))).toBeUndefined();
      expect(await gateway.objectStore.size(fileKey(callId))).toBeUndefined();
    }
    const { response, bytes } = await fetched(url);
    expect([response.status, JSON.parse(bytes.toString()).code]).toEqual([
      404,
      'RECORDING_NOT_FOUND',
    ]);
  });
});

describe('storage that has lost a file', () => {
  it('leaves a call without a recording, and the log says so', async () => {
    const { recording, callId } = await call();
    expect((await recording()).body.status).toBe('ready');
    rmSync(join(gateway.dataDir, 'storage', fileKey(callId)));
    expect((await recording()).body).toEqual({ status: 'not_recorded', url: null });
    expect(gateway.logged).toContain('The storage does not contain a recording');
  });
});

/** Counts the writes to a store. */
function countedPuts(objectStore: ObjectStore, puts: string[]): ObjectStore {
  return {
    putFile: (key, path) => {
      puts.push(key);
      return objectStore.putFile(key, path);
    },
    open: (...which) => objectStore.open(...which),
    size: (key) => objectStore.size(key),
    delete: (key) => objectStore.delete(key),
    list: (prefix) => objectStore.list(prefix),
  };
}

describe('several gateways', () => {
  const open = async (recordings: RecordingService, ids: readonly string[]) => {
    const calls = new CallsRepository(plane.database.db, 0);
    return Promise.all(ids.map(async (id) => recordings.prepare((await calls.find(id))!)));
  };

  it('mix a recording down once, whichever receives the request', async () => {
    const puts: string[] = [];
    const objectStore = countedPuts(gateway.objectStore, puts);
    const [one, two] = await Promise.all(
      [1, 2].map(() => openRecordingGateway(plane.database.db, { objectStore })),
    );
    const { callId } = await call({ seconds: 20 });
    await untilSpooled(plane.database.db, callId);
    const states = async () => {
      const responses = [one!, two!, one!, two!].map(({ recordings }) =>
        open(recordings, [callId]),
      );
      return (await Promise.all(responses)).flat();
    };
    // A mixdown may take longer than the timeout of a request.
    await expect.poll(states, { timeout: 60_000 }).toEqual(Array(4).fill('ready'));
    expect(puts).toEqual([fileKey(callId)]);
  });

  it('mix down the spools of a dead gateway on the same disk, at their start or on request', async () => {
    for (const how of ['start', 'ask'] as const) {
      const dead = await openRecordingGateway(plane.database.db, { dataDir: gateway.dataDir });
      const { callId, recording } = await call({ by: () => dead, isOver: false });
      await untilWritten(dead, callId, 3_000);
      const other = await openRecordingGateway(plane.database.db, {
        dataDir: gateway.dataDir,
        objectStore: gateway.objectStore,
      });
      await plane.database.db('calls').where({ call_id: callId }).update({
        state: 'ended',
        ended_at: new Date(),
        gateway_id: dead.gatewayId,
      });
      if (how === 'start') other.recordings.start();
      await expect
        .poll(async () => (await recording()).body.status, { timeout: 30_000 })
        .toBe('ready');
      await other.recordings.close();
    }
  });
});
