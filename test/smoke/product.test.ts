import { existsSync, readdirSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SpeechTranscriber } from '../support/harness/audio/speech-transcriber.js';
import {
  ask,
  endedCall,
  makeAgent,
  requestConnection,
  SHOP,
} from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { launchBrowser, signedIn } from '../support/harness/call/call-page.js';
import {
  CALLER,
  callByPhone,
  LINE_RATE,
  spokenByProduct,
} from '../support/harness/call/phone-scenarios.js';
import { SpeechSocket } from '../support/harness/call/speech-socket.js';
import { type Product, removeDataDir, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';
import { callSocketAsyncApi } from '../support/reference/call-socket-asyncapi.js';

// One test per interface, on one gateway that started with an empty data folder.

const RATE = 16_000;
const SENTENCE = 'Good morning everyone.';
const ROSES = 'How much are twelve red roses?';

const dataDir = makeTestFolder();
let product: Product;
let listener: SpeechTranscriber;
beforeAll(async () => {
  expect(readdirSync(dataDir)).toEqual([]);
  product = await startProduct({ dataDir, env: { AUDIOSOCKET_PORT: '0' } });
  listener = new SpeechTranscriber();
});
afterAll(async () => {
  await listener?.close();
  await product?.stop();
  await removeDataDir(dataDir);
});

const samplesOf = (pcm: Uint8Array) =>
  Float32Array.from(new Int16Array(new Uint8Array(pcm).buffer), (sample) => sample / 32_768);

async function speechOverHttp(text: string): Promise<Float32Array> {
  const response = await fetch(`${product.url}/api/v1/tts/speech/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, audio_format: 'pcm_16000' }),
  });
  expect(response.status).toBe(200);
  return samplesOf(new Uint8Array(await response.arrayBuffer()));
}

it('the gateway starts with an empty data folder and becomes ready', async () => {
  expect(product.apiKey).not.toBe('');
  expect(existsSync(`${dataDir}/postgres`)).toBe(true);
  expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  expect((await ask(product, 'GET', '/agent/')).status).toBe(200);
});

it('text is spoken over HTTP', async () => {
  expect(await listener.transcribe(await speechOverHttp(SENTENCE), RATE)).toMatch(/good morning/);
});

it('text is spoken over a WebSocket', async () => {
  const socket = await SpeechSocket.open(product.url, 'stream', product.apiKey);
  socket.send({ text: SENTENCE, audio_format: 'pcm_16000', flush: true });
  expect((await socket.closed).code).toBe(1000);
  expect(await listener.transcribe(samplesOf(socket.audio()), RATE)).toMatch(/good morning/);
});

/** Expects every message of the gateway to match the AsyncAPI document. */
function expectDocumentedMessages({ messages }: CallClient): void {
  const { payload } = callSocketAsyncApi().channels.call.messages.serverMessage;
  const isDocumented = new Ajv2020().compile(payload);
  for (const { message } of messages)
    expect(isDocumented(message), JSON.stringify(message)).toBe(true);
}

it('a spoken question in a web call is answered', async () => {
  const config = { ...SHOP, greeting: '', user_silence_timeout: 0 };
  const details = await requestConnection(product, await makeAgent(product, config));
  const client = new CallClient(details);
  try {
    await client.connect();
    const question = Float32Array.from(await speechOverHttp(ROSES));
    await client.say(question);
    expect((await client.final('user')).text.toLowerCase()).toMatch(/roses/);
    expect((await client.final('agent')).text).toMatch(/thirty dollars/);
    await client.state('speaking');
    await client.playedOut();
    const { player } = client;
    const transcript = await listener.transcribe(player.playedBetween(0), player.rate);
    expect(transcript).toMatch(/roses|thirty|bouquet/);
    expectDocumentedMessages(client);
  } finally {
    client.hangUp();
    await endedCall(product, details.call_id);
    client.close();
  }
});

it('a question is answered from a knowledge base', async () => {
  const documents = [{ content: '# Swimming\nThe pool opens at half past six.' }];
  const { body } = await ask(product, 'POST', '/knowledge-base/', { documents });
  const message = async () =>
    (await ask(product, 'GET', `/knowledge-base/${body.kb_id}`)).body.message;
  await expect.poll(message, { timeout: 60_000 }).toBe('ready: 1 passage');
  const agentId = await makeAgent(product, {
    greeting: '',
    prompt: 'You are the voice of a lido. We rent out towels.',
  });
  const path = `/agent/${agentId}/assign-knowledge-base`;
  expect((await ask(product, 'POST', path, { kb_id: body.kb_id })).status).toBe(200);
  const client = new CallClient(await requestConnection(product, agentId));
  try {
    await client.connect();
    client.type('When does the pool open?');
    expect((await client.final('agent')).text).toMatch(/half past six/);
  } finally {
    client.hangUp();
    client.close();
  }
});

it('a phone call is answered and added to the history', async () => {
  const { call, number } = await callByPhone(product, 'audiosocket', { user_silence_timeout: 0 });
  const question = await spokenByProduct(product, ROSES);
  try {
    expect(await call.ring()).toBe('answered');
    const { leg: line } = call;
    const spoken = async (sinceMs: number) => {
      expect(await line.untilAgentSpeaks(sinceMs)).toBe(true);
      await line.untilAgentIsSilent(sinceMs, 1_500);
      const agent = line.audio.agent.slice((sinceMs * LINE_RATE) / 1000);
      return listener.transcribe(
        Float32Array.from(agent, (sample) => sample / 32_768).slice(-12 * LINE_RATE),
        LINE_RATE,
      );
    };
    expect(await spoken(0)).toMatch(/flower|shop/);
    line.say(question);
    await line.until(() => !line.isCallerSpeaking);
    expect(await spoken(line.callerLoudMs)).toMatch(/thirty|30|vase|bouquet|roses/);
  } finally {
    call.hangUp();
  }
  expect(await endedCall(product, call.callId!)).toMatchObject({
    from_number: CALLER,
    to_number: number,
  });
});

describeWith(['chromium'], 'console page', ({ chromium }) => {
  it('signs in and speaks a text', async () => {
    const browser = await launchBrowser(chromium);
    try {
      const { page, faults } = await signedIn(browser, product.url, product.apiKey);
      await page.getByRole('textbox', { name: 'Text' }).fill(SENTENCE);
      await page.getByRole('button', { name: 'Speak' }).click();
      await page.getByText(/First audio after \d+ ms/).waitFor();
      const hasEnded = () =>
        page.locator('#player').evaluate((player: unknown) => (player as { ended: boolean }).ended);
      await expect.poll(hasEnded, { timeout: 30_000 }).toBe(true);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
