import { describe, expect, it } from 'vitest';
import { withControlPlane } from '../../../support/harness/app/control-plane-app.js';

const plane = withControlPlane({ allowedHosts: ['crm.internal', '10.0.0.0/8'] });

/** The errors of a config in a new agent: type and path below `body.config`. */
async function faultsOf(config: unknown) {
  const ask = await plane.asNewAccount();
  const { status, body } = await ask('POST', '/agent', { name: 'x', config });
  expect(status).toBe(422);
  return body.detail.map((fault: { type: string; loc: unknown[] }) => [
    fault.type,
    fault.loc.slice(2).join('.'),
  ]);
}

async function outputOf(config: unknown) {
  const ask = await plane.asNewAccount();
  const { status, body } = await ask('POST', '/agent', { name: 'x', config });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.config;
}

const https = 'https://a.example/x';
const tool = { name: 'look_up', url: https };

describe('limits of a config', () => {
  it.each([
    ['llm_temperature', [0, 2], [-0.1, 2.1]],
    ['tts_min_sentence_len', [0, 1_000], [-1, 0.5]],
    ['min_silence_duration', [0, 60], [-0.01]],
    ['min_speech_duration', [0, 60], [-0.01]],
    ['user_silence_timeout', [0, 1e6], [-1]],
    ['max_call_duration_seconds', [1, 86_400], [0, 1.5]],
    ['min_interruption_words', [0, 10], [-1, 11]],
    ['vad_activation_threshold', [0, 1], [-0.1, 1.1]],
    ['min_endpointing_delay', [0, 3], [-1, 3.1]],
    ['max_endpointing_delay', [0.5, 10], [-1, 0.4]],
    ['phone_number', ['+12', '+123456789012345'], ['+1', '+0123', '123', '+1234567890123456']],
    ['phone_provider', ['twilio', 'telnyx'], ['vonage']],
    ['playground_visibility', ['public', 'unlisted'], ['private']],
    ['allow_interruptions', [true, false], ['maybe', 2]],
  ])('apply to %s', async (field, good, bad) => {
    for (const value of good) expect((await outputOf({ [field]: value }))[field]).toBe(value);
    for (const value of bad) {
      expect((await faultsOf({ [field]: value })).map(([, loc]: string[]) => loc)).toEqual([field]);
    }
  });

  it.each([
    ['voice_id', ['ada'], [7]],
    ['language', ['en', 'nl', 'auto'], ['xx', 'EN']],
    ['temperature', [0, 2], [-1, 2.1]],
    ['top_p', [0, 1], [-0.1, 1.1]],
    ['dictionary_version', [1, 9], [0, 'x']],
  ])('apply to tts_params.%s', async (field, good, bad) => {
    for (const value of good) {
      expect((await outputOf({ tts_params: { [field]: value } })).tts_params[field]).toBe(value);
    }
    for (const value of bad) {
      const faults = await faultsOf({ tts_params: { [field]: value } });
      expect(faults.map(([, loc]: string[]) => loc)).toEqual([`tts_params.${field}`]);
    }
  });

  it('are all reported at once, each with its path', async () => {
    const faults = await faultsOf({
      prompt: 7,
      webhooks: {
        events: [{ url: https }, { url: 'nowhere', timeout: 31, events: ['call.begun'] }],
        tools: [{ name: 'bad name', url: https, method: 'HEAD', timeout: 61 }, {}],
        inbound_call: { timeout: 0 },
      },
      mcp_servers: [{ name: '', url: 'ftp://a.example' }],
    });
    expect(faults).toEqual([
      ['string_type', 'prompt'],
      ['url_parsing', 'webhooks.events.1.url'],
      ['enum', 'webhooks.events.1.events.0'],
      ['less_than_equal', 'webhooks.events.1.timeout'],
      ['string_pattern_mismatch', 'webhooks.tools.0.name'],
      ['enum', 'webhooks.tools.0.method'],
      ['less_than_equal', 'webhooks.tools.0.timeout'],
      ['missing', 'webhooks.tools.1.name'],
      ['missing', 'webhooks.tools.1.url'],
      ['missing', 'webhooks.inbound_call.url'],
      ['greater_than_equal', 'webhooks.inbound_call.timeout'],
      ['string_too_short', 'mcp_servers.0.name'],
      ['url_scheme', 'mcp_servers.0.url'],
    ]);
  });

  it('require contacts if outbound calls are allowed, on creation and update', async () => {
    expect(await faultsOf({ allow_outbound_calling: true })).toEqual([
      ['value_error', 'outbound_contacts'],
    ]);
    const ask = await plane.asNewAccount();
    const config = { allow_outbound_calling: true, outbound_contacts: { Ada: '+4930123456' } };
    const { body } = await ask('POST', '/agent', { name: 'x', config });
    const path = `/agent/${body.agent_id}`;
    const emptied = await ask('PUT', path, { config: { outbound_contacts: {} } });
    expect([emptied.status, emptied.body.detail[0].type]).toEqual([422, 'value_error']);
    expect((await ask('GET', path)).body.config).toMatchObject(config);
  });

  it('apply to the delays together in an update', async () => {
    const ask = await plane.asNewAccount();
    const { body } = await ask('POST', '/agent', {
      name: 'x',
      config: { max_endpointing_delay: 1 },
    });
    const put = (config: unknown) => ask('PUT', `/agent/${body.agent_id}`, { config });
    expect((await put({ min_endpointing_delay: 1.5 })).body.detail[0].loc).toEqual([
      'body',
      'config',
      'min_endpointing_delay',
    ]);
    expect((await put({ min_endpointing_delay: 1.5, max_endpointing_delay: null })).status).toBe(
      200,
    );
  });

  it.each([
    [{ events: [{ url: https }, { url: https }] }, 'events.1.url'],
    [{ events: [{ url: https }, { url: https.replace('https', 'HTTPS') }] }, 'events.1.url'],
    [{ tools: [tool, { ...tool, url: 'https://b.example' }] }, 'tools.1.name'],
  ])('reject the second of two equal entries: %j', async (webhooks, loc) => {
    expect(await faultsOf({ webhooks })).toEqual([['value_error', `webhooks.${loc}`]]);
  });

  it('allow http only for hosts that the operator allows', async () => {
    const events = (url: string) => ({ webhooks: { events: [{ url }] } });
    for (const url of ['http://crm.internal/x', 'http://CRM.internal:8080', 'http://10.1.2.3/x']) {
      expect((await outputOf(events(url))).webhooks.events[0].url).toBe(url);
    }
    for (const url of ['http://a.example', 'http://11.1.2.3/x', 'http://crm.internal.example']) {
      expect(await faultsOf(events(url))).toEqual([['value_error', 'webhooks.events.0.url']]);
    }
    const places = {
      webhooks: {
        tools: [{ ...tool, url: 'http://a.example' }],
        inbound_call: { url: 'http://b.example' },
      },
      mcp_servers: [{ name: 'm', url: 'http://c.example' }],
    };
    expect((await faultsOf(places)).map(([, loc]: string[]) => loc)).toEqual([
      'webhooks.tools.0.url',
      'webhooks.inbound_call.url',
      'mcp_servers.0.url',
    ]);
  });

  it.each([
    'https://user:pass@a.example',
    'javascript:alert(1)',
    '//a.example',
    ' https://a.example',
    `https://a.example/${'x'.repeat(2_100)}`,
    '',
    null,
    7,
  ])('reject the URL %j', async (url) => {
    const faults = await faultsOf({ webhooks: { inbound_call: { url } } });
    expect(faults.map(([, loc]: string[]) => loc)).toEqual(['webhooks.inbound_call.url']);
  });

  it('reject headers that would break the request', async () => {
    for (const headers of [{ 'X Y': 'a' }, { 'X-Y': 'a\r\nb: c' }, { '': 'a' }]) {
      const faults = await faultsOf({ webhooks: { tools: [{ ...tool, headers }] } });
      expect(faults[0][1]).toMatch(/^webhooks\.tools\.0\.headers/);
    }
  });
});

describe('limits of tools', () => {
  const many = (count: number, schema: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));

  it.each([
    ['200 properties', { parameters: many(201, 'string') }, 'parameters'],
    ['20 patterns', { parameters: many(21, { type: 'string', pattern: '^a' }) }, 'parameters'],
    ['32768 bytes', { parameters: { a: 'x'.repeat(33_000) } }, 'parameters'],
    ['32768 bytes', { response: { a: 'x'.repeat(33_000) } }, 'response'],
  ])('reject more than %s', async (limit, changes, field) => {
    const ask = await plane.asNewAccount();
    const config = { webhooks: { tools: [tool, { ...tool, name: 'second', ...changes }] } };
    const { status, body } = await ask('POST', '/agent', { name: 'x', config });
    expect(status).toBe(422);
    expect(body.detail).toHaveLength(1);
    expect(body.detail[0].loc.slice(2)).toEqual(['webhooks', 'tools', 1, field]);
    expect(body.detail[0].msg).toContain(limit);
  });

  it('reject more than 262144 bytes in all tools together', async () => {
    const parameters = { a: 'x'.repeat(32_000) };
    const tools = Array.from({ length: 9 }, (_, i) => ({ ...tool, name: `t${i}`, parameters }));
    expect(await faultsOf({ webhooks: { tools } })).toEqual([
      ['value_error', 'webhooks.tools.8.parameters'],
    ]);
  });

  it('accept a schema that cannot be compiled, because saving compiles nothing', async () => {
    const parameters = many(20, { type: 'string', pattern: '(' });
    const config = await outputOf({ webhooks: { tools: [{ ...tool, parameters }] } });
    expect(config.webhooks.tools[0].parameters).toEqual(parameters);
  });
});

describe('config in responses', () => {
  it('has complete entries of webhooks and servers without their secrets', async () => {
    const config = await outputOf({
      webhooks: {
        events: [
          { url: https, secret: 's1' },
          { url: `${https}/2`, events: null, timeout: null },
        ],
        tools: [
          { ...tool, auth_token: 't1', headers: { 'X-Key': 'h1' }, response: { type: 'object' } },
        ],
        inbound_call: { url: https, secret: '' },
      },
      mcp_servers: [{ name: 'm', url: `${https}/mcp`, auth_token: 't2', headers: {} }],
      managed_tools: { google_gmail: { enabled: true } },
    });
    expect(config.webhooks).toEqual({
      events: [
        { url: https, has_secret: true, events: [], timeout: 5, enabled: true },
        { url: `${https}/2`, has_secret: false, events: [], timeout: 5, enabled: true },
      ],
      tools: [
        {
          ...tool,
          description: '',
          parameters: {},
          method: 'GET',
          execution_mode: 'sync',
          auth_type: 'none',
          response: { type: 'object' },
          timeout: 10,
        },
      ],
      inbound_call: { url: https, has_secret: false, timeout: 5, enabled: true },
    });
    expect(config.mcp_servers).toEqual([
      {
        name: 'm',
        url: `${https}/mcp`,
        description: '',
        auth_type: 'none',
        has_auth_token: true,
        has_headers: false,
      },
    ]);
    expect(config.managed_tools).toEqual({
      google_calendar: null,
      google_sheets: null,
      google_gmail: { enabled: true, selected_operations: [] },
    });
  });

  it('keeps fields without an effect: voices, category, avatar', async () => {
    const extras = {
      available_voices: { a: [1, { b: null }] },
      category: 'business',
      playground_visibility: 'unlisted',
      voice_creator_username: 'ada',
      voice_avatar_url: 'https://a.example/a.png',
    };
    expect(await outputOf({ ...extras, unknown: 1 })).toMatchObject(extras);
    expect(await outputOf({ unknown: 1 })).not.toHaveProperty('unknown');
  });
});
