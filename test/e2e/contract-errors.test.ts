import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  type ContractRequest,
  nameOf,
  withContractPlane,
} from '../support/harness/app/contract-app.js';
import type { Operation } from '../support/harness/app/openapi-document.js';

/** Without the formant engine, only English voices are available. */
const plane = withContractPlane({ FORMANT: 'off', KNOWLEDGE_FILE_BYTES: '8000000' });

const NO_UUID = '00000000-0000-4000-8000-000000000000';
const NO_NUMBER = 2_000_000_000;

/** Documented errors that other tests provoke, by status. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  401: 'contract.test.ts, for every route',
  403: 'contract.test.ts, for every route',
  422: 'bad-bodies.test.ts for bodies, routes.test.ts for queries',
  429: 'rate-limit.test.ts: one limiter for all routes',
  500: 'routes.test.ts: one error handler for all routes',
  503: 'database-unavailable.test.ts, records.test.ts: one error handler for all routes',
};

/** The same for single routes, as `METHOD path status`. */
const SINGLE: Readonly<Record<string, string>> = {
  'POST /api/v1/tts/pronunciation-dictionaries/add-from-rules 400':
    'documented, but nothing causes it',
  'POST /api/v1/tts/pronunciation-dictionaries/add-from-rules 502':
    'a database that refuses one table',
  'POST /api/v1/tts/pronunciation-dictionaries/add-from-file 502':
    'a database that refuses one table',
  'POST /api/v1/tts/pronunciation-dictionaries/{dictionary_id}/add-rules 409':
    'dictionaries/bad-input.test.ts',
  'POST /api/v1/agent/select-phone-number 409': 'phone-numbers.service.test.ts',
  'POST /api/v1/agent/release-phone-number 409': 'phone-numbers.service.test.ts',
  'POST /api/v1/agent/release-phone-number 502': 'phone-numbers.service.test.ts',
  'POST /api/v1/calls/outbound 409': 'idempotency.test.ts: no call can be dialled here',
  'POST /api/v1/calls/outbound 502': 'outbound.test.ts',
  'POST /api/v1/google/{agent_id}/oauth/start 502': 'documented, but no account can be linked',
  'POST /api/v1/telephony/audiosocket/calls 409': 'idempotency.test.ts',
  'POST /api/v1/connection/connection-details 502': 'room-details.test.ts',
  'POST /api/v1/connection/test-connection-details 502': 'room-details.test.ts',
  'GET /api/v1/downloads/{call_id}/{file} 404': 'records.test.ts',
  'GET /api/v1/downloads/{call_id}/{file} 416': 'records.test.ts',
  'POST /api/v1/tts/clone-voice 409': 'voices.test.ts',
  'GET /api/v1/calls/{call_id}/live 409': 'live-stream.test.ts',
  'GET /api/v1/calls/{call_id}/audio 409': 'live-stream.test.ts',
  'POST /api/v1/calls/{call_id}/say 409': 'live-stream.test.ts',
  'POST /api/v1/calls/{call_id}/keys 409': 'live-stream.test.ts',
  'POST /api/v1/calls/{call_id}/transfer 409': 'live-stream.test.ts',
  'POST /api/v1/calls/{call_id}/transfer 502': 'live-stream.test.ts',
  'DELETE /api/v1/agent/call-history/{call_id} 409': 'retention.test.ts',
  'DELETE /api/v1/agent/call-history 409': 'retention.test.ts',
};

/** `METHOD path status` of every error received. */
const seen = new Set<string>();

async function provoke(
  operation: Operation,
  status: number,
  request: ContractRequest,
  path?: string,
) {
  const bearer = request.bearer ?? plane().owner.key;
  const to = path ?? plane().pathOf(operation);
  const answer = await plane().ask(operation.method, to, { ...request, bearer });
  const about = `${nameOf(operation)}: ${JSON.stringify(answer.body).slice(0, 400)}`;
  expect(answer.status, about).toBe(status);
  expect(operation.responses, about).toHaveProperty(String(status));
  const { schema } = operation.responses[status].content['application/json'];
  expect(plane().api.differences(schema, answer.body), about).toEqual([]);
  seen.add(`${nameOf(operation)} ${status}`);
  return answer;
}

const documenting = (status: number) =>
  plane().api.operations.filter(
    ({ responses, security }) => String(status) in responses && security.some((one) => one.bearer),
  );
const operationOf = (name: string) => plane().api.operations.find((one) => nameOf(one) === name)!;
const takes = (operation: Operation, header: string) =>
  operation.parameters.some(({ name }) => name === header);
const hasForm = ({ requestBody }: Operation) =>
  Boolean(requestBody?.content['multipart/form-data']);
const hasJson = ({ requestBody }: Operation) => Boolean(requestBody?.content['application/json']);

it('unknown IDs return 404', async () => {
  const { resources } = plane();
  for (const operation of documenting(404)) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      /^\d+$/.test(resources[name] ?? '') ? String(NO_NUMBER) : NO_UUID,
    );
    const example = plane().bodyOf(operation);
    const unknown = { agent_id: NO_UUID, voice_id: NO_UUID, kb_id: NO_NUMBER };
    const known = operation.requestBody?.content['application/json']?.schema;
    const fields = Object.entries(unknown).filter(([name]) => plane().api.hasField(known, name));
    const isForm = example instanceof FormData;
    const body = isForm || !example ? example : { ...example, ...Object.fromEntries(fields) };
    await provoke(operation, 404, { body }, path);
  }
});

it('bodies that are too large return 413, and bodies of another type 415', async () => {
  for (const operation of documenting(413).filter(hasJson)) {
    const body = `{"x":"${'x'.repeat(9_000_000)}"}`;
    await retryConnection(() => provoke(operation, 413, { body }));
    const headers = { 'content-type': 'text/plain' };
    await provoke(operation, 415, { body: 'text', headers });
  }
  for (const operation of documenting(413).filter((one) => !hasJson(one))) {
    const form = new FormData();
    form.set('file', new Blob(['x'.repeat(9_000_000)]), 'large');
    form.set('name', 'Large');
    await retryConnection(() => provoke(operation, 413, { body: form }));
    await provoke(operation, 415, { body: '{}' });
  }
  for (const operation of documenting(400).filter(hasForm)) {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    await provoke(operation, 400, { body: '--x\r\nnonsense', headers });
  }
});

/**
 * Repeats a request with a large body, because the server may close the connection before reading
 * it completely.
 */
async function retryConnection(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof TypeError) || tries === 5) throw error;
    }
  }
}

it('an update of a resource that has changed since returns 412', async () => {
  for (const operation of documenting(412)) {
    const headers = { 'if-match': '"another"' };
    await provoke(operation, 412, { headers, body: plane().bodyOf(operation) });
  }
});

it('an update of a disabled agent returns 409', async () => {
  const bearer = plane().owner.key;
  const path = plane().pathOf(operationOf('POST /api/v1/agent/{agent_id}/disable'));
  expect((await plane().ask('POST', path, { bearer })).status).toBe(200);
  for (const operation of documenting(409).filter((one) => one.path.includes('{agent_id}'))) {
    await provoke(operation, 409, { body: plane().bodyOf(operation) });
  }
  await plane().renewResources();
});

it('a repeated request returns 409 while the first one is running', async () => {
  const { database, owner } = plane();
  const bearer = owner.key;
  const agent = `/api/v1/agent/${plane().resources.agent_id}`;
  expect((await plane().ask('POST', `${agent}/deploy`, { bearer })).status).toBe(200);
  for (const operation of documenting(409).filter((one) => takes(one, 'Idempotency-Key'))) {
    if (`${nameOf(operation)} 409` in SINGLE) continue;
    const headers = { 'idempotency-key': `${nameOf(operation).slice(-100)} ${randomUUID()}` };
    const request = { bearer, headers, body: goodBodyOf(operation) };
    const first = await plane().ask(operation.method, plane().pathOf(operation), request);
    expect(first.status, nameOf(operation)).toBeLessThan(300);
    await database.db('idempotent_answers').update({ answer: null });
    await provoke(operation, 409, { ...request, body: goodBodyOf(operation) });
  }
});

/** Forms are created for each request. */
function goodBodyOf(operation: Operation): unknown {
  if (!/\/(add-from-file|documents)$/.test(operation.path)) return plane().bodyOf(operation);
  const form = new FormData();
  const { schema } = operation.requestBody!.content['multipart/form-data'];
  const file = plane().api.schemas[schema.$ref.split('/').at(-1)].properties.file.examples[0];
  form.set('file', new Blob([file]), 'names.pls');
  form.set('name', 'Names');
  return form;
}

it('speech returns 402 without credits, 409 for a language without a voice, and 400 for an unknown model', async () => {
  const withoutCredits = await plane().makeAccount();
  await plane().database.db('accounts').where({ id: withoutCredits.id }).update({
    balance: 0,
    price_per_1000_characters: 1,
  });
  for (const operation of documenting(402)) {
    await provoke(operation, 402, { bearer: withoutCredits.key, body: { text: 'Hello.' } });
    const body = { text: 'Hola.', language: 'es', model: 'svc-tts-v1-latest' };
    await provoke(operation, 400, { body });
    await provoke(operation, 409, { body: { text: 'Hola.', language: 'es' } });
  }
});

async function makeDeployedAgent(config: object, bearer = plane().owner.key): Promise<string> {
  const body = { name: 'Ann', config };
  const { body: agent } = await plane().ask('POST', '/api/v1/agent', { bearer, body });
  const path = `/api/v1/agent/${agent.agent_id}/deploy`;
  expect((await plane().ask('POST', path, { bearer })).status).toBe(200);
  return agent.agent_id;
}

it('a call without credits returns 403, and the agent status reports it in advance', async () => {
  const { id, key: bearer } = await plane().makeAccount();
  const agent_id = await makeDeployedAgent({}, bearer);
  const path = `/api/v1/connection/agent-status/${agent_id}`;
  const before = await plane().ask('GET', path, { bearer });
  expect(before.body).toMatchObject({ call_allowed: true, call_validation_details: null });
  await plane().database.db('accounts').where({ id }).update({ balance: 0 });
  const { body } = await plane().ask('GET', path, { bearer });
  expect(body).toMatchObject({
    call_allowed: false,
    call_validation_details: expect.stringContaining('credits'),
  });
  for (const operation of plane().api.operations.filter(({ path: at }) =>
    at.endsWith('-details'),
  )) {
    const refused = await provoke(operation, 403, { bearer, body: { agent_id } });
    expect(refused.body).toMatchObject({
      code: 'CALL_VALIDATION_FAILED',
      reason: 'insufficient_credits',
    });
  }
});

it('a voice that does not speak the language of the call returns 400', async () => {
  const bearer = plane().owner.key;
  const agent_id = await makeDeployedAgent({});
  const { body: voices } = await plane().ask('GET', '/api/v1/tts/voices?include=builtin', {
    bearer,
  });
  const english = voices.find(
    (one: { language: string; installed: boolean }) => one.language === 'en' && one.installed,
  );
  const tts_params = { voice_id: english.voice_id, language: 'de' };
  const body = { agent_id, agent_overrides: { tts_params } };
  for (const operation of documenting(400).filter(({ path: at }) => at.includes('/connection/'))) {
    await provoke(operation, 400, { body });
    const livekit = { agent_id, transport: 'livekit' };
    const { body: conflict } = await provoke(operation, 409, { body: livekit });
    expect(conflict).toMatchObject({
      code: 'NOT_CONFIGURED',
      error: expect.stringContaining('LIVEKIT_URL'),
    });
  }
});

it('an unreachable carrier returns 502', async () => {
  for (const operation of documenting(502).filter(({ path }) => path.includes('phone-number'))) {
    if (`${nameOf(operation)} 502` in SINGLE) continue;
    await provoke(operation, 502, { body: plane().bodyOf(operation) });
  }
});

it('carriers, exchanges and Google return 409 if they are not configured', async () => {
  const to = '+14155550100';
  const config = {
    allow_outbound_calling: true,
    outbound_contacts: { Ann: to },
    phone_provider: 'telnyx',
  };
  const agent_id = await makeDeployedAgent(config);
  const request: Readonly<Record<string, object>> = {
    'POST /api/v1/calls/outbound': { agent_id, target_phone_number: to },
    'POST /api/v1/telephony/audiosocket/calls': { agent_id },
    'POST /api/v1/agent/search-phone-numbers': { provider: 'telnyx' },
    'POST /api/v1/google/{agent_id}/oauth/start': { return_path: '/' },
  };
  for (const [name, body] of Object.entries(request)) {
    const { body: conflict } = await provoke(operationOf(name), 409, { body });
    expect(conflict.code).toBe('NOT_CONFIGURED');
  }
});

it('every documented error is provoked here or listed with its test', () => {
  const documented = plane().api.operations.flatMap((operation) =>
    Object.keys(operation.responses)
      .filter((status) => Number(status) >= 400 && !(status in ELSEWHERE))
      .map((status) => `${nameOf(operation)} ${status}`),
  );
  expect(documented.filter((one) => !seen.has(one) && !(one in SINGLE))).toEqual([]);
});
