import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LanguageModelDiscovery } from '../../../src/features/model-catalogue/language-model-discovery.js';
import { languageModels } from '../../../src/features/model-catalogue/language-model-settings.js';
import { ModelCatalogue } from '../../../src/features/model-catalogue/model-catalogue.js';

const SERVER = { apiKey: undefined, contextTokens: 8_192 };
const NAMED = { ...SERVER, id: 'mine', baseUrl: 'http://named/v1' };

describe('LLM servers without listed models', () => {
  it('are queried at most once a minute, and keep their models while they are unavailable', async () => {
    let nowMs = 0;
    let isAway = false;
    let requestCount = 0;
    const faults: unknown[] = [];
    const served = new LanguageModelDiscovery({
      named: [NAMED],
      servers: [
        { ...SERVER, baseUrl: 'http://one:1/v1' },
        { ...SERVER, baseUrl: 'http://two:2/v1' },
      ],
      async listModelIds({ baseUrl }) {
        requestCount++;
        if (isAway) throw new Error('away');
        if (baseUrl.includes('one')) return ['a', 'mine', 'parley-extractive-v1', ''];
        return ['a', 'b', 'x'.repeat(201)];
      },
      now: () => nowMs,
      onFault: (error) => faults.push(error),
    });
    const listing = new ModelCatalogue({
      prefix: 'svc',
      llmModels: () => served.models.map(({ id }) => id),
      refresh: () => served.refresh(),
    });
    expect(listing.defaultLlmModel).toBe('mine');
    await Promise.all([listing.refresh(), listing.refresh()]);
    const ids = ['mine', 'a', 'mine@one:1', 'parley-extractive-v1@one:1', 'a@two:2', 'b'];
    expect(listing.llmModels.map(({ id }) => id)).toEqual([...ids, 'parley-extractive-v1']);
    expect(served.models.find(({ id }) => id === 'a@two:2')).toMatchObject({
      baseUrl: 'http://two:2/v1',
      servedId: 'a',
    });
    const before = served.models;
    await served.refresh();
    expect(requestCount).toBe(2);
    nowMs += 61_000;
    isAway = true;
    await served.refresh();
    expect([requestCount, faults.length]).toEqual([4, 2]);
    expect(served.models).toEqual(before);
    expect(served.models[1]).toBe(before[1]);
  });

  it('are those without model names in the settings, and their models may be fallbacks', () => {
    const settings = {
      LLM_BASE_URL: 'http://one/v1',
      LLM_API_KEY: 'k',
      LLM_MODELS: [],
      LLM_FILE: undefined,
      LLM_FALLBACKS: ['whatever'],
      LLM_CONTEXT_TOKENS: 9_000,
    };
    expect(languageModels(settings)).toEqual({
      named: [],
      servers: [{ baseUrl: 'http://one/v1', apiKey: 'k', contextTokens: 9_000 }],
    });
  });
});

describe('LLM server', () => {
  let answer: [status: number, body: string] = [200, ''];
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(answer[1]);
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());

  it.each<[number, string, readonly string[]]>([
    [200, '{"object":"list","data":[{"id":"llama"},{"id":7},{}]}', ['llama']],
    [200, '{"data":"none"}', []],
    [200, 'nonsense', []],
    [404, '{}', []],
  ])('that answers %i %s has its models listed', async (status, body, ids) => {
    answer = [status, body];
    const { port } = server.address() as AddressInfo;
    const served = new LanguageModelDiscovery({
      named: [],
      servers: [{ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'k', contextTokens: 8_192 }],
      onFault: () => undefined,
    });
    await served.refresh();
    expect(served.models.map(({ id }) => id)).toEqual(ids);
    expect(keys.at(-1)).toBe('/v1/models Bearer k');
  });
});
