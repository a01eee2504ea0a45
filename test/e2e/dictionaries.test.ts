import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toFloat32 } from '../../media/audio/pcm.js';
import { DICTIONARIES } from '../support/harness/app/dictionary-app.js';
import { SpeechTranscriber } from '../support/harness/audio/speech-transcriber.js';
import { makeAgent, requestConnection, SHOP } from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

const RULES = [
  { word: 'Xyzzy', replacement: 'chocolate' },
  { word: 'Qwrt', replacement: 'something else', ipa: 'ˈbænd.ʒoʊ' },
  { word: 'Zzyzx Corp.', replacement: 'Boston', case_sensitive: false },
  { word: 'zzzzzzzzzzzz', replacement: 'zzzzzzzzzzzz', ipa: 'ʃøːn' },
];

let product: Product;
let listener: SpeechTranscriber;
let dictionaryId: string;
const clients: CallClient[] = [];

beforeAll(async () => {
  listener = new SpeechTranscriber();
  product = await startProduct();
  const { id } = await json('POST', `${DICTIONARIES}/add-from-rules`, { name: 'x', rules: RULES });
  dictionaryId = id;
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(async () => {
  await listener?.close();
  await product?.stop();
});

async function post(method: string, path: string, body?: unknown): Promise<Response> {
  const response = await fetch(`${product.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBeLessThan(300);
  return response;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
async function json(method: string, path: string, body?: unknown): Promise<any> {
  return (await post(method, path, body)).json();
}

async function heard(text: string, more: object): Promise<string> {
  const body = { text, audio_format: 'pcm_16000', ...more };
  const pcm = new Int16Array(await (await post('POST', '/tts/speech/stream', body)).arrayBuffer());
  const samples = new Float32Array(pcm.length);
  toFloat32(pcm, samples);
  return listener.transcribe(samples, 16_000);
}

describe('what is heard', () => {
  it('is the replacement of a word', async () => {
    const text = 'Would you like some Xyzzy with your coffee?';
    expect(await heard(text, { dictionary_id: dictionaryId })).toContain('chocolate');
    expect(await heard(text, {})).not.toContain('chocolate');
  });

  it('is the transcription of a word, and not its replacement', async () => {
    const text = 'My brother plays the Qwrt every evening.';
    const found = await heard(text, { dictionary_id: dictionaryId });
    expect(found).toMatch(/plays the ban[dj]/);
    expect(found).not.toContain('something');
  });

  it('is the transcription in a language that the formant engine speaks', async () => {
    const bytes = async (more: object) => {
      const body = { text: 'zzzzzzzzzzzz', language: 'de', audio_format: 'pcm_16000', ...more };
      return (await (await post('POST', '/tts/speech', body)).arrayBuffer()).byteLength;
    };
    // Twelve letters by name, or one word.
    expect(await bytes({})).toBeGreaterThan(2 * (await bytes({ dictionary_id: dictionaryId })));
  });

  it('is the replacement of a phrase with a full stop, in one sentence', async () => {
    const text = 'We moved from zzyzx  corp. to New York last year.';
    const found = await heard(text, { dictionary_id: dictionaryId });
    expect(found).toContain('boston');
  });
});

describe('an agent', () => {
  async function greeting(tts_params: object): Promise<{ heard: string; written: string }> {
    const config = { ...SHOP, greeting: 'Welcome! Today we have fresh Xyzzy for you.', tts_params };
    const client = new CallClient(
      await requestConnection(product, await makeAgent(product, config)),
      {},
    );
    clients.push(client);
    await client.connect();
    await client.state('listening');
    const { player } = client;
    const told = await client.final('agent');
    return {
      heard: await listener.transcribe(player.heardBetween(0), player.rate),
      written: told.text,
    };
  }

  it('speaks by its dictionary, and its transcript has what was written', async () => {
    const found = await greeting({ dictionary_id: dictionaryId });
    expect(found.heard).toContain('chocolate');
    expect(found.written).toContain('Xyzzy');
  });

  it('speaks by the version that it pins, whatever came later', async () => {
    const body = { name: 'z', rules: RULES };
    const { id } = await json('POST', `${DICTIONARIES}/add-from-rules`, body);
    await json('POST', `${DICTIONARIES}/${id}/set-rules`, { rules: [] });
    const found = await greeting({ dictionary_id: id, dictionary_version: 1 });
    expect(found.heard).toContain('chocolate');
    expect((await greeting({ dictionary_id: id })).heard).not.toContain('chocolate');
  });

  it('speaks without one that was deleted', async () => {
    const { id } = await json('POST', `${DICTIONARIES}/add-from-rules`, {
      name: 'y',
      rules: RULES,
    });
    await json('DELETE', `${DICTIONARIES}/${id}`);
    const found = await greeting({ dictionary_id: id });
    expect(found.heard).toContain('welcome');
    expect(found.heard).not.toContain('chocolate');
  });
});
