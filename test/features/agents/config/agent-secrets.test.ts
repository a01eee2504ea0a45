import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import type { AgentConfigInput } from '../../../../src/features/agents/config/agent-config.schema.js';
import { AgentConfigInput as ConfigSchema } from '../../../../src/features/agents/config/agent-config.schema.js';
import { AGENT_SETTINGS } from '../../../../src/features/agents/config/agent-settings.js';
import { presentSettings } from '../../../../src/features/agents/config/settings-table.js';
import {
  mergeConfig,
  type StoredConfig,
  sealConfig,
} from '../../../../src/features/agents/config/stored-config.js';
import { resolveCallConfig } from '../../../../src/features/agents/resolve-call-config.js';
import { ModelCatalogue } from '../../../../src/features/model-catalogue/model-catalogue.js';
import { withControlPlane } from '../../../support/harness/app/control-plane-app.js';
import '../../../support/harness/process/property-seed.js';

const plane = withControlPlane();
const models = new ModelCatalogue({ prefix: 'svc', llmModels: [] });

const SECRETS = ['WORD-event', 'WORD-tool', 'WORD-header', 'WORD-inbound', 'WORD-mcp', 'WORD-mcph'];
const CONFIG = {
  prompt: 'Hello',
  webhooks: {
    events: [{ url: 'https://a.example/e', secret: 'WORD-event' }],
    tools: [
      {
        name: 'look_up',
        url: 'https://a.example/t',
        auth_type: 'bearer_token',
        auth_token: 'WORD-tool',
        headers: { 'X-Key': 'WORD-header' },
      },
    ],
    inbound_call: { url: 'https://a.example/i', secret: 'WORD-inbound' },
  },
  mcp_servers: [
    {
      name: 'm',
      url: 'https://a.example/mcp',
      auth_token: 'WORD-mcp',
      headers: { 'X-Key': 'WORD-mcph' },
    },
  ],
};

async function makeAgent() {
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const { body } = await ask('POST', '/agent', { name: 'Ada', config: CONFIG });
  const path = `/agent/${body.agent_id}`;
  const read = async () => {
    const agent = await new AgentsRepository(plane.database.db).find(accountId, body.agent_id);
    return agent!;
  };
  /** The decrypted secrets, as used by a call. */
  const secrets = async () => {
    const agent = await read();
    const { tools, mcpServers } = resolveCallConfig(agent, {}, { models, box: plane.box });
    const open = (sealed: string | null | undefined) => sealed && plane.box.open(sealed, agent.id);
    return {
      event: open(agent.config.webhooks?.events?.[0]?.secret),
      inbound: open(agent.config.webhooks?.inbound_call?.secret),
      tool: tools[0]?.authentication,
      mcp: mcpServers[0]?.authentication,
    };
  };
  return { ask, path, body, read, secrets };
}

const ALL = {
  event: 'WORD-event',
  inbound: 'WORD-inbound',
  tool: { type: 'bearer_token', token: 'WORD-tool', headers: { 'X-Key': 'WORD-header' } },
  mcp: { type: 'none', token: 'WORD-mcp', headers: { 'X-Key': 'WORD-mcph' } },
};

describe('secrets of an agent', () => {
  it('are neither in responses nor in plain text in rows', async () => {
    const { ask, path } = await makeAgent();
    const answers = [
      await ask('GET', path),
      await ask('GET', '/agent'),
      await ask('GET', '/agent?page=1'),
      await ask('PUT', path, { config: CONFIG }),
      await ask('POST', `${path}/deploy`),
      await ask('POST', `${path}/pause`),
      await ask('POST', `${path}/disable`),
    ];
    const { db } = plane.database;
    const tables: string[] = await db('pg_tables')
      .where({ schemaname: 'public' })
      .pluck('tablename');
    const rows = await Promise.all(tables.map((table) => db(table)));
    const responsesText = JSON.stringify(answers.map(({ body }) => body));
    const stored = JSON.stringify(rows);
    expect(tables).toContain('agents');
    for (const secret of SECRETS) {
      expect(responsesText).not.toContain(secret);
      expect(stored).not.toContain(secret);
    }
    expect(responsesText).not.toContain('sealed:');
    expect(stored).toContain('sealed:');
  });

  it('are kept when the config is read, edited and written back', async () => {
    const { ask, path, body, secrets } = await makeAgent();
    expect(await secrets()).toEqual(ALL);
    const edited = { ...body.config, prompt: 'Edited' };
    const { status, body: after } = await ask('PUT', path, { config: edited });
    expect([status, after.config]).toEqual([200, edited]);
    expect(await secrets()).toEqual(ALL);
  });

  it('are dropped if the URL of their entry changes', async () => {
    const { ask, path, body, secrets } = await makeAgent();
    const moved = JSON.parse(JSON.stringify(body.config).replaceAll('a.example', 'thief.example'));
    const { body: after } = await ask('PUT', path, { config: moved });
    expect(after.config.webhooks.events[0].has_secret).toBe(false);
    expect(await secrets()).toEqual({
      event: null,
      inbound: null,
      tool: { type: 'bearer_token', token: null, headers: {} },
      mcp: { type: 'none', token: null, headers: {} },
    });
  });

  it('are cleared by null, one by one', async () => {
    const { ask, path, body, secrets } = await makeAgent();
    const { events, tools, inbound_call } = body.config.webhooks;
    const clear = (config: unknown) => ask('PUT', path, { config });
    await clear({ webhooks: { events: [{ ...events[0], secret: null }] } });
    expect(await secrets()).toEqual({ ...ALL, event: null });
    await clear({ webhooks: { tools: [{ ...tools[0], auth_token: null }] } });
    expect((await secrets()).tool).toEqual({ ...ALL.tool, token: null });
    await clear({ webhooks: { tools: [{ ...tools[0], headers: null }] } });
    expect((await secrets()).tool).toEqual({ ...ALL.tool, token: null, headers: {} });
    await clear({ webhooks: { inbound_call: { ...inbound_call, secret: null } } });
    expect((await secrets()).inbound).toBeNull();
    await clear({ mcp_servers: null });
    expect((await secrets()).mcp).toBeUndefined();
  });

  it("cannot be decrypted in another agent's row", async () => {
    const otherAgent = await makeAgent();
    const thief = await makeAgent();
    const agent = { ...(await thief.read()), config: (await otherAgent.read()).config };
    expect(() => resolveCallConfig(agent, {}, { models, box: plane.box })).toThrow(/another place/);
  });
});

const name = fc.constantFrom('a', 'b', 'c');
const url = fc.constantFrom('https://a.example', 'https://b.example', 'https://c.example');
const secret = fc.option(fc.string({ minLength: 1, maxLength: 8 }), { nil: undefined });
const headers = fc.option(fc.dictionary(name, fc.constant('v'), { minKeys: 1 }), {
  nil: undefined,
});
const tools = fc.uniqueArray(fc.record({ name, url, auth_token: secret, headers }), {
  selector: (tool) => tool.name,
});
const events = fc.uniqueArray(fc.record({ url, secret }), { selector: (hook) => hook.url });
const configs = fc.record(
  {
    prompt: fc.string(),
    tts_params: fc.record({ voice_id: fc.string(), top_p: fc.constant(0.3) }, { requiredKeys: [] }),
    webhooks: fc.record(
      { events, tools, inbound_call: fc.record({ url, secret }) },
      { requiredKeys: [] },
    ),
    mcp_servers: tools,
  },
  { requiredKeys: [] },
);

describe('partial update', () => {
  const seal = (text: string) => `sealed(${text})`;
  const parse = (config: unknown): AgentConfigInput => ConfigSchema.parse(config);
  const store = (config: unknown) => mergeConfig({}, sealConfig(parse(config), seal));
  const update = (stored: StoredConfig, config: unknown) =>
    mergeConfig(stored, sealConfig(parse(config), seal));

  it('with the response itself changes no value and no secret', () => {
    fc.assert(
      fc.property(configs, (config) => {
        const stored = store(config);
        const answer = JSON.parse(JSON.stringify(presentSettings(AGENT_SETTINGS, stored, models)));
        const after = update(stored, answer);
        expect(presentSettings(AGENT_SETTINGS, after, models)).toEqual(answer);
        expect(secretsOf(after)).toEqual(secretsOf(stored));
      }),
    );
  });

  it('keeps a secret only if the name and URL of its entry are unchanged', () => {
    fc.assert(
      fc.property(configs, configs, (before, change) => {
        const stored = store(before);
        const after = secretsOf(update(stored, change));
        const old = secretsOf(stored);
        const given = secretsOf(store(change));
        const touched = {
          events: change.webhooks?.events !== undefined,
          tools: change.webhooks?.tools !== undefined,
          inbound: change.webhooks?.inbound_call !== undefined,
          mcp: change.mcp_servers !== undefined,
        };
        for (const [place, value] of Object.entries(after)) {
          const kind = place.split(' ')[0] as keyof typeof touched;
          const expected = touched[kind] ? (given[place] ?? old[place] ?? null) : old[place];
          expect([place, value]).toEqual([place, expected]);
        }
      }),
    );
  });

  it('that is empty changes nothing', () => {
    fc.assert(
      fc.property(configs, (config) => {
        const stored = store(config);
        expect(update(stored, {})).toEqual(stored);
        expect(update(stored, { webhooks: {}, tts_params: {} })).toMatchObject(stored);
      }),
    );
  });
});

/** Every secret of a stored config by kind, name and URL; null if there is none. */
function secretsOf({ webhooks, mcp_servers }: StoredConfig): Record<string, string | null> {
  const found: Record<string, string | null> = {};
  for (const hook of webhooks?.events ?? []) found[`events ${hook.url}`] = hook.secret ?? null;
  const inbound = webhooks?.inbound_call;
  if (inbound) found[`inbound ${inbound.url}`] = inbound.secret ?? null;
  for (const [kind, entries] of [
    ['tools', webhooks?.tools],
    ['mcp', mcp_servers],
  ] as const) {
    for (const entry of entries ?? []) {
      found[`${kind} ${entry.name} ${entry.url} token`] = entry.auth_token ?? null;
      found[`${kind} ${entry.name} ${entry.url} headers`] = entry.headers ?? null;
    }
  }
  return found;
}
