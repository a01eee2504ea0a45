import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentConfigInput } from '../../src/agents/agent-config.schema.js';
import { withControlPlane } from '../support/control-plane.js';

const plane = withControlPlane();
const https = 'https://a.example';

const NASTY: readonly unknown[] = [
  'a\u0000b',
  '\ud800',
  '',
  'x'.repeat(12_000),
  '\u0301'.repeat(10_000),
  Number.MAX_VALUE,
  -1e-300,
  2 ** 53,
  true,
  null,
  [],
  {},
  [[]],
  { 'a\u0000': 'b', '\ud800': '+4930123' },
  { __proto__: null, constructor: 1, toString: 2 },
  ['\u0000'],
];

describe('an agent that is sent nonsense', () => {
  it.each(Object.keys(AgentConfigInput.shape))(
    'in %s is refused or kept, never a 500',
    async (field) => {
      const ask = await plane.asNewAccount();
      for (const value of NASTY) {
        const answer = await ask('POST', '/agent', { name: 'x', config: { [field]: value } });
        expect([201, 422], JSON.stringify([value, answer.body]).slice(0, 300)).toContain(
          answer.status,
        );
      }
    },
  );

  it('in the fields of its entries is refused or kept, never a 500', async () => {
    const ask = await plane.asNewAccount();
    const entries = [
      (value: unknown) => ({ webhooks: { events: [{ url: https, secret: value }] } }),
      (value: unknown) => ({ webhooks: { tools: [{ name: 't', url: https, parameters: value }] } }),
      (value: unknown) => ({ webhooks: { tools: [{ name: 't', url: https, headers: value }] } }),
      (value: unknown) => ({ webhooks: { tools: [{ name: 't', url: value }] } }),
      (value: unknown) => ({ mcp_servers: [{ name: value, url: https, description: value }] }),
      (value: unknown) => ({ tts_params: { voice_id: value, dictionary_version: value } }),
      (value: unknown) => ({ managed_tools: { google_sheets: { spreadsheet_id: value } } }),
    ];
    for (const entry of entries) {
      for (const value of NASTY) {
        const answer = await ask('POST', '/agent', { name: 'x', config: entry(value) });
        const told = JSON.stringify([value, answer.body]).slice(0, 300);
        expect([201, 422], told).toContain(answer.status);
      }
    }
  });

  it('of any shape is refused or kept, and what was kept can be read and written back', async () => {
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

  it.each([
    [undefined, 'missing', ['body']],
    [{}, 'missing', ['body', 'name']],
    [{ name: 'x' }, 'missing', ['body', 'config']],
    [{ name: '', config: {} }, 'string_too_short', ['body', 'name']],
    [{ name: null, config: {} }, 'string_type', ['body', 'name']],
    [{ name: 'x', config: [] }, 'model_attributes_type', ['body', 'config']],
    [{ name: 'x', config: {}, kb_id: 'x' }, 'int_parsing', ['body', 'kb_id']],
    [[], 'model_attributes_type', ['body']],
  ])('%j is told in the words of the contract', async (body, type, loc) => {
    const ask = await plane.asNewAccount();
    const answer = await ask('POST', '/agent', body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ type, loc });
  });
});
