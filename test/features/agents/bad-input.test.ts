import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentConfigInput } from '../../../src/features/agents/config/agent-config.schema.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import '../../support/harness/process/property-seed.js';

const plane = withControlPlane();

describe('agent request with invalid input', () => {
  it('of any shape is rejected, or stored and can be read and written back', async () => {
    const ask = await plane.asNewAccount();
    const field = fc.constantFrom(...Object.keys(AgentConfigInput.shape), 'unknown');
    const config = fc.dictionary(field, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(config, async (given) => {
        const made = await ask('POST', '/agent', { name: 'x', config: given });
        expect([201, 422]).toContain(made.status);
        if (made.status !== 201) return;
        const path = `/agent/${made.body.agent_id}`;
        const { status, body } = await ask('PUT', path, { config: made.body.config });
        expect([status, body.config]).toEqual([200, made.body.config]);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['one\r\nX-Injected: two', 'one\ntwo', 'one\rtwo', 'one\u2028two'])(
    'with %j as header or token is rejected',
    async (value) => {
      const ask = await plane.asNewAccount();
      const url = 'https://crm.example.com/mcp';
      const configs = [
        { webhooks: { tools: [{ name: 't', url, auth_type: 'bearer_token', auth_token: value }] } },
        { webhooks: { tools: [{ name: 't', url, headers: { 'X-Key': value } }] } },
        { webhooks: { tools: [{ name: 't', url, headers: { [value]: 'x' } }] } },
        { mcp_servers: [{ name: 's', url, auth_type: 'api_key', auth_token: value }] },
        { mcp_servers: [{ name: 's', url, headers: { 'X-Key': value } }] },
      ];
      for (const config of configs) {
        const { status, body } = await ask('POST', '/agent', { name: 'x', config });
        expect([status, JSON.stringify(body.detail?.[0]?.loc)]).toEqual([
          422,
          expect.stringMatching(/auth_token|headers/),
        ]);
      }
    },
  );

  it.each([
    [undefined, 'missing', ['body']],
    [{}, 'missing', ['body', 'name']],
    [{ name: 'x' }, 'missing', ['body', 'config']],
    [{ name: '', config: {} }, 'string_too_short', ['body', 'name']],
    [{ name: null, config: {} }, 'string_type', ['body', 'name']],
    [{ name: 'x', config: [] }, 'model_attributes_type', ['body', 'config']],
    [{ name: 'x', config: {}, kb_id: 'x' }, 'int_parsing', ['body', 'kb_id']],
    [[], 'model_attributes_type', ['body']],
  ])('%j has the documented error', async (body, type, loc) => {
    const ask = await plane.asNewAccount();
    const answer = await ask('POST', '/agent', body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ type, loc });
  });
});
