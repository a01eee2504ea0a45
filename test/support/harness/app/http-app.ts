import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { ApiError } from '../../../../src/platform/http/api-error.js';
import { RateLimiter } from '../../../../src/platform/http/rate-limit.js';
import { type Principal, reply, route, SENT } from '../../../../src/platform/http/route.js';
import {
  float,
  int,
  list,
  model,
  str,
} from '../../../../src/platform/http/validation/schema-builders.js';
import { Metrics } from '../../../../src/platform/observability/metrics.js';
import { type AppParts, createApp } from '../../../../src/server.js';

/** Maximum size of a request body in bytes. */
const MAX_BODY_BYTES = 10_000;

const makeRoutes = (aborted: string[]) => [
  route({
    method: 'post',
    path: '/echo/',
    scope: 'speech',
    summary: 'Echo',
    tag: 'test',
    body: model({ text: str({ min: 1 }), level: float({ ge: 0, le: 2 }).default(1) }),
    responses: { 200: { description: 'What was sent', schema: model({ text: str() }) } },
    handle: ({ body }) => body,
  }),
  route({
    method: 'get',
    path: '/things/{thing_id}',
    scope: 'any',
    summary: 'Read a thing',
    tag: 'test',
    params: model({ thing_id: int() }),
    query: model({ page: int({ ge: 1 }).optional(), state: list(str()).optional() }),
    responses: { 200: { description: 'The thing' } },
    handle: ({ params, query, principal }) => ({ ...params, ...query, of: principal.accountId }),
  }),
  route({
    method: 'get',
    path: '/things/best',
    scope: 'any',
    summary: 'Read the best thing',
    tag: 'test',
    responses: { 200: { description: 'The best thing' } },
    handle: () => ({ best: true }),
  }),
  route({
    method: 'delete',
    path: '/things/{thing_id}',
    scope: 'agents',
    summary: 'Delete a thing',
    tag: 'test',
    params: model({ thing_id: str() }),
    responses: { 204: { description: 'Gone' } },
    handle: ({ params }) => {
      if (params.thing_id === 'broken') throw new Error('secret words inside');
      if (params.thing_id === 'none') {
        throw new ApiError('AGENT_NOT_FOUND', 'No agent has this id', { detail: 'look again' });
      }
      return reply(204);
    },
  }),
  route({
    method: 'get',
    path: '/slow',
    scope: 'any',
    summary: 'Wait for the client to go',
    tag: 'test',
    responses: { 200: { description: 'Never' } },
    handle: ({ signal, res, requestId }) =>
      new Promise((resolve) => {
        res.write('begun');
        signal.addEventListener('abort', () => {
          aborted.push(requestId);
          resolve(SENT);
        });
      }),
  }),
  route({
    method: 'get',
    path: '/cut',
    scope: 'any',
    summary: 'Fail in the middle',
    tag: 'test',
    responses: { 200: { description: 'Never whole' } },
    handle: async ({ res }) => {
      res.write('begun');
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('too late');
    },
  }),
];

const KEYS: Record<string, Principal> = {
  all: { accountId: 'a1', keyId: 1, scopes: ['*'] },
  speech: { accountId: 'a2', keyId: 2, scopes: ['speech'] },
  busy: { accountId: 'a3', keyId: 3, scopes: ['*'] },
};

export interface RequestOptions {
  /** API key; null sends none. Default: a key with all scopes. */
  readonly key?: string | null;
  /** Values other than strings and bytes are sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface HttpApp {
  readonly port: number;
  readonly url: string;
  /** Lines of the app's log. */
  readonly logged: readonly string[];
  /** Request IDs of handlers whose signal was aborted because the client disconnected. */
  readonly aborted: readonly string[];
  /** State of the health check `database`. */
  isDatabaseUp: boolean;
}

/** A listening app with routes for testing what all routes share. */
export function withHttpApp(
  options: Partial<Pick<AppParts, 'metricsToken' | 'trustProxy'>> = {},
): HttpApp {
  const metrics = new Metrics();
  const logged: string[] = [];
  const aborted: string[] = [];
  let server: Server | undefined;
  const app: HttpApp = {
    logged,
    aborted,
    isDatabaseUp: true,
    get port() {
      return (server!.address() as AddressInfo).port;
    },
    get url() {
      return `http://127.0.0.1:${this.port}`;
    },
  };
  beforeAll(async () => {
    const express = createApp({
      log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
      metrics,
      routes: makeRoutes(aborted),
      authenticator: { authenticate: async (bearer) => KEYS[bearer] },
      limiter: new RateLimiter({ requestsPerMinute: 200, failedAuthsPerMinute: 5 }),
      maxBodyBytes: MAX_BODY_BYTES,
      health: [
        {
          name: 'database',
          isNeeded: true,
          check: async () => (app.isDatabaseUp ? 'up' : 'away'),
        },
        { name: 'livekit', isNeeded: false, check: async () => 'not configured' },
      ],
      trustProxy: false,
      ...options,
    });
    server = createServer(express).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    metrics.close();
    server?.closeAllConnections();
    server?.close();
  });
  return app;
}

/** Returns a function that sends requests to the app, by default with a key of all scopes. */
export function requestsTo(app: HttpApp) {
  return async (method: string, path: string, options: RequestOptions = {}) => {
    const { key = 'all', body, headers = {} } = options;
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('application/json');
    const { status } = response;
    return { status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
}
