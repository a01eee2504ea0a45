import { describe, expect, it } from 'vitest';
import { type Ask, withControlPlane } from '../../support/harness/app/control-plane-app.js';

const plane = withControlPlane({ languages: ['en', 'auto', 'de'] });

async function makeAgent(config: Record<string, unknown> = {}, ask?: Ask) {
  const asOwner = ask ?? (await plane.asNewAccount());
  const { status, body: agent } = await asOwner('POST', '/agent/', { name: 'Ada', config });
  expect(status).toBe(201);
  const move = (name: string) => asOwner('POST', `/agent/${agent.agent_id}/${name}`);
  return { ask: asOwner, agent, path: `/agent/${agent.agent_id}`, move };
}

async function makeKnowledgeBase(ask: Ask): Promise<number> {
  const { body } = await ask('POST', '/knowledge-base', { documents: [{ content: 'A fact.' }] });
  return body.kb_id;
}

describe('new agent', () => {
  it('is paused and returns every field of its config, with the documented defaults', async () => {
    const { agent } = await makeAgent();
    expect(agent).toEqual({
      agent_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Ada',
      status: 'paused',
      status_code: 1,
      kb_id: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: agent.created_at,
      config: {
        prompt: '',
        greeting: '',
        llm_temperature: 0.7,
        llm_model: 'parley-extractive-v1',
        tts_min_sentence_len: 20,
        tts_params: {
          voice_id: null,
          model: 'svc-tts-v1-latest',
          language: 'en',
          temperature: 1,
          top_p: 0.8,
          dictionary_id: null,
          dictionary_version: null,
        },
        min_silence_duration: 0.55,
        min_speech_duration: 0.1,
        user_silence_timeout: 10,
        max_call_duration_seconds: 900,
        allow_interruptions: true,
        allow_interruptions_on_greeting: false,
        min_interruption_words: 1,
        auto_noise_reduction: true,
        allow_agent_to_end_call: false,
        allow_agent_to_skip_turn: false,
        min_endpointing_delay: 0.5,
        max_endpointing_delay: 3,
        vad_activation_threshold: 0.6,
        phone_number: null,
        phone_provider: 'twilio',
        recording_enabled: true,
        allow_outbound_calling: false,
        outbound_contacts: {},
        webhooks: { events: [], tools: [], inbound_call: null },
        mcp_servers: [],
        managed_tools: null,
        available_voices: null,
        category: null,
        playground_visibility: null,
        voice_creator_username: null,
        voice_avatar_url: null,
      },
    });
  });

  it('keeps null in every field', async () => {
    const { agent: first, ask } = await makeAgent();
    const nulls = Object.fromEntries(Object.keys(first.config).map((key) => [key, null]));
    const { agent, path } = await makeAgent(nulls, ask);
    expect(agent.config).toEqual(nulls);
    expect((await ask('GET', path)).body).toEqual(agent);
  });

  it.each([
    [{ language: 'de' }, 'svc-tts-multilingual-v1-latest'],
    [{ language: 'auto' }, 'svc-tts-multilingual-v1-latest'],
    [{ language: 'en', model: 'ignored' }, 'svc-tts-v1-latest'],
    [{ language: null }, 'svc-tts-v1-latest'],
  ])('returns the TTS model of %j', async (tts_params, model) => {
    const { agent } = await makeAgent({ tts_params });
    expect(agent.config.tts_params.model).toBe(model);
  });

  it('treats an empty phone number as none', async () => {
    const { agent } = await makeAgent({ phone_number: '' });
    expect(agent.config.phone_number).toBeNull();
  });

  it('accepts only an existing knowledge base', async () => {
    const ask = await plane.asNewAccount();
    const create = (kb_id: unknown) => ask('POST', '/agent', { name: 'x', config: {}, kb_id });
    const own = await makeKnowledgeBase(ask);
    const foreign = await makeKnowledgeBase(await plane.asNewAccount());
    expect((await create(own)).body.kb_id).toBe(own);
    for (const id of [foreign, -1, 2 ** 40]) {
      const { status, body } = await create(id);
      expect([status, body.code]).toEqual([404, 'KNOWLEDGE_BASE_NOT_FOUND']);
    }
  });
});

describe('existing agent', () => {
  it('returns 404 for other accounts and unknown IDs', async () => {
    const { path } = await makeAgent();
    const otherAccount = await plane.asNewAccount();
    const paths = [path, '/agent/x', '/agent/0', '/agent/stats', `/agent/${'f'.repeat(5_000)}`];
    for (const one of paths) {
      const answers = [
        await otherAccount('GET', one),
        await otherAccount('PUT', one, { name: 'stolen' }),
        await otherAccount('POST', `${one}/deploy`),
        await otherAccount('POST', `${one}/pause`),
        await otherAccount('POST', `${one}/disable`),
        await otherAccount('DELETE', `${one}/knowledge-base`),
        await otherAccount('POST', `${one}/assign-knowledge-base`, { kb_id: 7 }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.code]).toEqual([404, 'AGENT_NOT_FOUND']);
      }
    }
  });

  it('keeps fields that an update omits and clears those set to null', async () => {
    const { ask, path, agent } = await makeAgent({
      prompt: 'before',
      greeting: 'hello',
      tts_params: { voice_id: 'ada', temperature: 0.5 },
      webhooks: { events: [{ url: 'https://a.example/e' }], tools: [] },
    });
    const config = {
      prompt: 'after',
      greeting: null,
      tts_params: { temperature: null, top_p: 0.1 },
      webhooks: { inbound_call: { url: 'https://a.example/i' } },
    };
    const { status, body } = await ask('PUT', path, { config });
    expect(status).toBe(200);
    expect(body.name).toBe('Ada');
    expect(body.config).toEqual({
      ...agent.config,
      prompt: 'after',
      greeting: null,
      tts_params: { ...agent.config.tts_params, temperature: null, top_p: 0.1 },
      webhooks: {
        ...agent.config.webhooks,
        inbound_call: { url: 'https://a.example/i', has_secret: false, timeout: 5, enabled: true },
      },
    });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(agent.updated_at));
    expect(body.created_at).toBe(agent.created_at);
    expect((await ask('GET', path)).body).toEqual(body);
  });

  it('contains the changes of all concurrent updates', async () => {
    const { ask, path } = await makeAgent();
    const changes = [
      { prompt: 'p' },
      { greeting: 'g' },
      { llm_temperature: 1 },
      { tts_params: { top_p: 0.1 } },
      { tts_params: { temperature: 0.2 } },
      { webhooks: { tools: [{ name: 't', url: 'https://t.example' }] } },
      { webhooks: { events: [{ url: 'https://e.example' }] } },
    ];
    await Promise.all(changes.map((config) => ask('PUT', path, { config })));
    const { config } = (await ask('GET', path)).body;
    expect(config).toMatchObject({
      prompt: 'p',
      greeting: 'g',
      llm_temperature: 1,
      tts_params: { top_p: 0.1, temperature: 0.2 },
      webhooks: { tools: [{ name: 't' }], events: [{ url: 'https://e.example' }] },
    });
  });

  it('gets and loses a knowledge base', async () => {
    const { ask, path } = await makeAgent();
    const id = await makeKnowledgeBase(ask);
    const assigned = await ask('POST', `${path}/assign-knowledge-base`, { kb_id: id });
    expect([assigned.status, assigned.body.kb_id]).toEqual([200, id]);
    const removed = await ask('DELETE', `${path}/knowledge-base`);
    expect([removed.status, removed.body]).toEqual([204, '']);
    expect((await ask('GET', path)).body.kb_id).toBeNull();
  });
});

describe('agent status', () => {
  it('changes from paused to deployed and back, repeatedly', async () => {
    const { move } = await makeAgent();
    const deployed = await move('deploy');
    expect([deployed.status, deployed.body.agent.status_code]).toEqual([200, 10]);
    expect(deployed.body.message).toEqual(expect.any(String));
    const again = (await move('deploy')).body.agent;
    expect(again).toEqual(deployed.body.agent);
    const paused = await move('pause');
    expect([paused.status, paused.body.agent.status_code]).toEqual([200, 1]);
    expect((await move('pause')).body).toEqual(paused.body);
    expect((await move('deploy')).body.agent.status).toBe('deployed');
  });

  it('ends with disabled, which is reached from paused only and is final', async () => {
    const { ask, path, move } = await makeAgent();
    await move('deploy');
    expect((await move('disable')).body.code).toBe('AGENT_NOT_PAUSED');
    await move('pause');
    const disabled = await move('disable');
    expect(disabled.body).toEqual({
      agent: expect.objectContaining({ status: 'disabled', status_code: 0 }),
      message: expect.any(String),
    });
    const refused = [
      await move('deploy'),
      await move('pause'),
      await ask('PUT', path, { name: 'x' }),
      await ask('DELETE', `${path}/knowledge-base`),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [409, 'AGENT_DISABLED']),
    );
    const twice = await move('disable');
    expect([twice.status, twice.body.code]).toEqual([409, 'AGENT_NOT_PAUSED']);
    expect((await ask('GET', path)).body).toEqual(disabled.body.agent);
  });

  it('warns on deployment if the model is not listed', async () => {
    const { move } = await makeAgent({ llm_model: 'gpt-nought' });
    expect((await move('deploy')).body.message).toMatch(/gpt-nought now: parley-extractive-v1 /);
    const { move: other } = await makeAgent({ llm_model: 'parley-extractive-v1' });
    expect((await other('deploy')).body.message).toBe('The agent is deployed and takes calls');
  });

  it('names the default model on deployment if the config has none', async () => {
    const { move } = await makeAgent({});
    expect((await move('deploy')).body.message).toMatch(
      /has no llm_model: the default model, now parley-extractive-v1, answers, and another one does when/,
    );
  });

  it('cannot be deployed for a language without a voice', async () => {
    const { move, ask, path } = await makeAgent({ tts_params: { language: 'pl' } });
    const { status, body } = await move('deploy');
    expect([status, body.code, body.error]).toEqual([
      409,
      'LANGUAGE_NOT_AVAILABLE',
      'Nothing speaks pl',
    ]);
    expect((await ask('GET', path)).body.status).toBe('paused');
  });
});

describe('phone number', () => {
  const phone_number = '+14155550100';

  it('belongs to one deployed agent of its account only', async () => {
    const owner = await plane.asNewAccount(phone_number, '+14155550101');
    const first = await makeAgent({ phone_number }, owner);
    const second = await makeAgent({ phone_number }, owner);
    expect((await first.move('deploy')).status).toBe(200);
    const { status, body } = await second.move('deploy');
    expect([status, body.code]).toEqual([409, 'PHONE_NUMBER_IN_USE']);
    await first.move('pause');
    expect((await second.move('deploy')).status).toBe(200);
    await first.ask('PUT', first.path, { config: { phone_number: '+14155550101' } });
    expect((await first.move('deploy')).status).toBe(200);
    const taken = await first.ask('PUT', first.path, { config: { phone_number } });
    expect([taken.status, taken.body.code]).toEqual([409, 'PHONE_NUMBER_IN_USE']);
    await second.move('pause');
  });

  it('is given to exactly one of twenty agents that are deployed concurrently', async () => {
    const owner = await plane.asNewAccount('+4930123456');
    const agents = await Promise.all(
      Array.from({ length: 20 }, () => makeAgent({ phone_number: '+4930123456' }, owner)),
    );
    const answers = await Promise.all(agents.map(({ move }) => move('deploy')));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  });
});

describe('list of agents', () => {
  async function makeThree() {
    const ask = await plane.asNewAccount();
    const made = [];
    for (const name of ['one', 'two', 'three']) {
      made.push((await ask('POST', '/agent', { name, config: { prompt: name } })).body);
    }
    return { ask, made };
  }
  const namesOf = (agents: { name: string }[]) => agents.map(({ name }) => name);

  it('is a plain array without page and limit, newest first', async () => {
    const { ask, made } = await makeThree();
    expect((await ask('GET', '/agent/')).body).toEqual([...made].reverse());
  });

  it('is one page with page or limit', async () => {
    const { ask } = await makeThree();
    const first = (await ask('GET', '/agent?limit=2')).body;
    expect(namesOf(first.items)).toEqual(['three', 'two']);
    expect(first.pagination).toEqual({
      current_page: 1,
      total_pages: 2,
      total_items: 3,
      limit: 2,
      has_next: true,
      has_previous: false,
    });
    const second = (await ask('GET', '/agent?limit=2&page=2')).body;
    expect(namesOf(second.items)).toEqual(['one']);
    expect(second.pagination).toMatchObject({ has_next: false, has_previous: true });
    expect((await ask('GET', '/agent?page=1')).body.pagination.limit).toBe(20);
    const beyond = await ask('GET', '/agent?page=99999999999999999999');
    expect([beyond.status, beyond.body.items]).toEqual([200, []]);
    const empty = await plane.asNewAccount();
    expect((await empty('GET', '/agent?page=1')).body.pagination.total_pages).toBe(0);
  });

  it('contains deployed and paused agents by default', async () => {
    const { ask, made } = await makeThree();
    await ask('POST', `/agent/${made[0].agent_id}/disable`);
    await ask('POST', `/agent/${made[1].agent_id}/deploy`);
    const shown = async (query: string) => namesOf((await ask('GET', `/agent${query}`)).body);
    expect(await shown('')).toEqual(['three', 'two']);
    expect(await shown('?show_statuses=disabled')).toEqual(['one']);
    expect(await shown('?show_statuses=deployed&show_statuses=disabled')).toEqual(['two', 'one']);
    const paged = (await ask('GET', '/agent?page=1&show_statuses=paused&show_statuses=paused'))
      .body;
    expect([namesOf(paged.items), paged.pagination.total_items]).toEqual([['three'], 1]);
    const summary = (await ask('GET', '/agent/stats-summary')).body;
    expect(summary).toEqual({
      total_agents: 3,
      status_summary: { deployed: 1, paused: 1, disabled: 1 },
    });
  });

  it.each(['page=0', 'limit=0', 'limit=101', 'page=x', 'show_statuses=gone'])(
    'rejects %s',
    async (query) => {
      const ask = await plane.asNewAccount();
      const { status, body } = await ask('GET', `/agent?${query}`);
      expect(status).toBe(422);
      expect(body.detail[0].loc.slice(0, 2)).toEqual(['query', query.split('=')[0]]);
    },
  );
});
