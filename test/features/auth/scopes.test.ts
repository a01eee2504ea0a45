import { describe, expect, it } from 'vitest';
import { callArtifactRoutes } from '../../../src/calls/artifacts/call-artifacts.routes.js';
import { callCommandRoutes } from '../../../src/calls/commands/call-commands.routes.js';
import { connectionRoutes } from '../../../src/calls/connection/connection.routes.js';
import { liveRoutes } from '../../../src/calls/monitoring/monitoring.routes.js';
import { outboundRoutes } from '../../../src/calls/outbound/outbound-calls.routes.js';
import { deletionRoutes } from '../../../src/calls/retention/call-deletion.routes.js';
import { retentionRoutes } from '../../../src/calls/retention/retention.routes.js';
import { audioSocketRoutes } from '../../../src/channels/audiosocket/audiosocket.routes.js';
import { JsonWebTokens } from '../../../src/features/auth/json-web-tokens.js';
import { requireScope } from '../../../src/platform/http/bearer-credentials.js';
import { openApiDocument } from '../../../src/platform/http/openapi/openapi-document.js';
import type { Route } from '../../../src/platform/http/route.js';
import { isScope } from '../../../src/platform/http/scopes.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';

/** No handler runs here: the routes are only declared. */
const NO_PARTS = {} as never;

const OPENED_BY = {
  'calls:start': [
    'POST /connection/connection-details',
    'POST /connection/test-connection-details',
    'GET /connection/agent-status/{agent_id}',
    'POST /calls/outbound',
    'POST /telephony/audiosocket/calls',
  ],
  'calls:monitor': [
    'GET /calls/live',
    'GET /calls/{call_id}/live',
    'GET /calls/{call_id}/audio',
    'POST /calls/{call_id}/say',
    'POST /calls/{call_id}/keys',
    'POST /calls/{call_id}/transfer',
    'POST /calls/{call_id}/end',
  ],
  'calls:records': [
    'GET /agent/call-history/{call_id}/transcript',
    'GET /agent/call-history/{call_id}/recording',
  ],
  'calls:retention': [
    'DELETE /agent/call-history/{call_id}',
    'DELETE /agent/call-history',
    'GET /account/retention',
    'PUT /account/retention',
    'GET /account/retention/receipts',
  ],
} as const;
const NARROW = Object.keys(OPENED_BY) as (keyof typeof OPENED_BY)[];

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
const routes = [
  ...connectionRoutes(NO_PARTS),
  ...outboundRoutes(NO_PARTS),
  ...audioSocketRoutes(NO_PARTS),
  ...liveRoutes(NO_PARTS),
  ...callCommandRoutes(NO_PARTS),
  ...callArtifactRoutes(NO_PARTS),
  ...deletionRoutes(NO_PARTS),
  ...retentionRoutes(NO_PARTS),
].filter(({ scope }) => scope !== 'any' && scope !== 'agents');

/** Names of the routes that a key with these scopes may use. */
function opened(scopes: readonly string[]): readonly string[] {
  const principal = { accountId: 'a1', keyId: 1, scopes };
  return routes
    .filter(({ scope }) => {
      try {
        requireScope(principal, scope);
        return true;
      } catch {
        return false;
      }
    })
    .map(nameOf)
    .sort();
}

describe('call scopes', () => {
  it.each(NARROW)('%s grants its routes and no others', (scope) => {
    expect(opened([scope])).toEqual([...OPENED_BY[scope]].sort());
  });

  it('calls grants the routes of all four narrower scopes', () => {
    const all = routes.map(nameOf).sort();
    expect(all).toEqual(Object.values(OPENED_BY).flat().sort());
    expect(opened(['calls'])).toEqual(all);
    expect(opened(['*'])).toEqual(all);
    expect(opened(['agents', 'analytics'])).toEqual([]);
  });

  it('are named by a 403 if they are missing', () => {
    const principal = { accountId: 'a1', keyId: 1, scopes: ['calls:start'] };
    expect(() => requireScope(principal, 'calls:records')).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', detail: 'Missing scope: calls:records' }),
    );
  });

  it('are part of the OpenAPI document, at each route and as a list', () => {
    const document = openApiDocument(routes, { title: 't', version: '1', description: 'd' });
    const paths = document.paths as Record<string, Record<string, { security: unknown }>>;
    for (const { path, method, scope } of routes) {
      expect(paths[`/api/v1${path}`]![method]!.security).toContainEqual({ bearer: [scope] });
    }
    const { securitySchemes } = document.components as {
      securitySchemes: { bearer: { description: string } };
    };
    for (const scope of NARROW) {
      expect(securitySchemes.bearer.description).toContain(`\`${scope}\``);
    }
  });

  it('can be used in JWTs', async () => {
    const tokens = new JsonWebTokens(new SecretKeys(['the secret of the tests']));
    expect(NARROW.every(isScope)).toBe(true);
    const token = await tokens.issue('a1', NARROW.filter(isScope), new Date(Date.now() + 60_000));
    expect((await tokens.verify(token))?.scopes).toEqual(NARROW);
  });
});
