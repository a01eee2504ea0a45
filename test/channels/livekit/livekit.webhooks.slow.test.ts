import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { SignJWT } from 'jose';
import { RoomServiceClient } from 'livekit-server-sdk';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  LIVEKIT_WEBHOOK_PATH,
  liveKitWebhooks,
} from '../../../src/channels/livekit/livekit.webhooks.js';
import { callerIdentityOf, callOfSid, roomOf } from '../../../src/channels/livekit/room-names.js';
import { errorHandler } from '../../../src/platform/http/error-handler.js';
import { startLiveKitServer } from '../../support/harness/process/livekit-server.js';
import { describeWith } from '../../support/harness/process/required-tools.js';

const KEY = 'devkey';
const SECRET = 'secret'.repeat(6);
const log = pino({ level: 'silent' });
const ended: string[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  const endReserved = async (callId: string, reason: string) => {
    ended.push(`${callId} ${reason}`);
    return true;
  };
  const app = express()
    .use(
      liveKitWebhooks({ access: { apiKey: KEY, apiSecret: SECRET }, calls: { endReserved }, log }),
    )
    .use(errorHandler(log));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${LIVEKIT_WEBHOOK_PATH}`;
});
afterAll(() => server?.close());
beforeEach(() => void ended.splice(0));

const hashOf = (body: string) => createHash('sha256').update(body).digest('base64');

interface Signing {
  readonly secret?: string;
  readonly issuer?: string;
  readonly expires?: number | undefined;
  readonly sha256?: string;
}

function tokenFor(body: string, signing: Signing = {}): Promise<string> {
  const { secret = SECRET, issuer = KEY, sha256 = hashOf(body) } = signing;
  const expires = 'expires' in signing ? signing.expires : Date.now() / 1000 + 300;
  const token = new SignJWT({ sha256 }).setProtectedHeader({ alg: 'HS256' }).setIssuer(issuer);
  if (expires !== undefined) token.setExpirationTime(Math.round(expires));
  return token.sign(new TextEncoder().encode(secret));
}

async function post(body: string, authorization?: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/webhook+json',
      ...(authorization !== undefined && { authorization }),
    },
    body,
  });
  return response.status;
}

const send = async (event: object) => {
  const body = JSON.stringify(event);
  return post(body, await tokenFor(body));
};

const callId = randomUUID();
const room = { name: roomOf(callId), sid: 'RM_1' };

describe('LiveKit webhook', () => {
  it('is verified by the hash of its body, as LiveKit computes it', async () => {
    // A body and its SHA-256 hash in base64.
    expect(hashOf('{"event":"room_started"}')).toBe('w9NV0uLHjSON8P7eonnkKXDHY4ICORefbHDCviKIgX8=');
    expect(await send({ event: 'room_started' })).toBe(204);
    expect(ended).toEqual([]);
  });

  it('ends a waiting call when its room is finished or its caller has left, for any kind of caller', async () => {
    expect(await send({ event: 'room_finished', room, extra: { more: 1 } })).toBe(204);
    const participant = { identity: callerIdentityOf(callId), kind: 'STANDARD' };
    expect(await send({ event: 'participant_left', room, participant })).toBe(204);
    const phone = { name: 'phone_+15550111_x', sid: 'RM_2' };
    expect(await send({ event: 'room_finished', room: phone })).toBe(204);
    expect(ended).toEqual([
      `${callId} user_hangup`,
      `${callId} user_hangup`,
      `${callOfSid('RM_2')} user_hangup`,
    ]);
  });

  it('has no effect for other rooms, participants and events', async () => {
    const agent = { identity: 'agent-AJ_1', kind: 'AGENT' };
    expect(await send({ event: 'participant_left', room, participant: agent })).toBe(204);
    expect(await send({ event: 'room_finished', room: { name: 'hall', sid: 'RM_3' } })).toBe(204);
    expect(await send({ event: 'room_finished' })).toBe(204);
    expect(await send({ event: 'track_published', room })).toBe(204);
    expect(ended).toEqual([]);
  });

  it('is refused without a token, with a forged or expired one, and with one for another body', async () => {
    const body = JSON.stringify({ event: 'room_finished', room });
    const nowS = Date.now() / 1000;
    expect(await post(body)).toBe(401);
    for (const signing of [
      { secret: 'x'.repeat(36) },
      { issuer: 'another key' },
      { expires: nowS - 60 },
      { expires: undefined },
      { sha256: hashOf(`${body} `) },
      { sha256: '' },
    ]) {
      expect(await post(body, await tokenFor(body, signing))).toBe(401);
    }
    const [header, payload] = (await tokenFor(body)).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const token of [`${header}.${payload}.`, `${none}.${payload}.`, 'a.b.c', 'Bearer ', '']) {
      expect(await post(body, token)).toBe(401);
    }
    expect(await post(` ${body}`, await tokenFor(body))).toBe(401);
    expect(ended).toEqual([]);
  });

  it('is refused if it is no event or much too large, even with a valid signature', async () => {
    for (const body of ['[]', '{}', '{"event":7}', '{"event":"room_finished","room":3}']) {
      expect(await post(body, await tokenFor(body))).toBe(400);
    }
    const odd = 'no JSON';
    expect(await post(odd, await tokenFor(odd))).toBe(422);
    const large = JSON.stringify({ event: 'room_finished', room, more: 'x'.repeat(300_000) });
    expect(await post(large, await tokenFor(large))).toBe(413);
    expect((await fetch(url)).status).toBe(405);
    expect(ended).toEqual([]);
  });
});

describeWith(['livekit-server'], 'webhooks of a real LiveKit server', (tools) => {
  it('are accepted: a closed room ends the waiting call', async () => {
    const livekit = await startLiveKitServer(tools['livekit-server'], { webhookUrl: url });
    try {
      const rooms = new RoomServiceClient(livekit.url, livekit.apiKey, livekit.apiSecret);
      await rooms.createRoom({ name: roomOf(callId) });
      await rooms.deleteRoom(roomOf(callId));
      const limits = { timeout: 30_000, interval: 50 };
      await vi.waitFor(() => expect(ended).toContain(`${callId} user_hangup`), limits);
    } finally {
      await livekit.stop();
    }
  }, 60_000);
});
