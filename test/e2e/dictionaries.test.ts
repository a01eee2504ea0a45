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

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service responds
async function json(method: string, path: string, body?: unknown): Promise<any> {
  return (await post(method, path, body)).json();
}

async function synthesise(text: string, more: object): Promise<string> {
  const body = { text, audio_format: 'pcm_16000', ...more };
  const pcm = new Int16Array(await (await post('POST', '/tts/speech/stream', body)).arrayBuffer());
  const samples = new Float32Array(pcm.length);
  toFloat32(pcm, samples);
  return listener.transcribe(samples, 16_000);
}

describe('speech with a dictionary', () => {
  it('contains the replacement of a word', async () => {
    const text = 'Would you like some Xyzzy with your coffee?';
    expect(await synthesise(text, { dictionary_id: dictionaryId })).toContain('chocolate');
    expect(await synthesise(text, {})).not.toContain('chocolate');
  });

  it('contains the transcription of a word that also has a replacement', async () => {
    const text = 'My brother plays the Qwrt every evening.';
    const found = await synthesise(text, { dictionary_id: dictionaryId });
    expect(found).toMatch(/plays the ban[dj]/);
    expect(found).not.toContain('something');
  });

  it('contains the transcription in a language of the formant engine', async () => {
    const bytes = async (more: object) => {
      const body = { text: 'zzzzzzzzzzzz', language: 'de', audio_format: 'pcm_16000', ...more };
      return (await (await post('POST', '/tts/speech', body)).arrayBuffer()).byteLength;
    };
    // The spelled name has twelve letters; the transcription is one word.
    expect(await bytes({})).toBeGreaterThan(2 * (await bytes({ dictionary_id: dictionaryId })));
  });

  it('contains the replacement of a phrase with a full stop, without splitting the sentence', async () => {
    const text = 'We moved from zzyzx  corp. to New York last year.';
    const found = await synthesise(text, { dictionary_id: dictionaryId });
    expect(found).toContain('boston');
  });
});

describe('agent with a dictionary', () => {
  async function greeting(tts_params: object): Promise<{ synthesise: string; written: string }> {
    const config = { ...SHOP, greeting: 'Welcome! Today we have fresh Xyzzy for you.', tts_params };
    const client = new CallClient(
      await requestConnection(product, await makeAgent(product, config)),
      {},
    );
    clients.push(client);
    await client.connect();
    await client.state('listening');
    const { player } = client;
    const finalText = await client.final('agent');
    return {
      synthesise: await listener.transcribe(player.playedBetween(0), player.rate),
      written: finalText.text,
    };
  }

  it('speaks the replacement and keeps the written text in its transcript', async () => {
    const found = await greeting({ dictionary_id: dictionaryId });
    expect(found.synthesise).toContain('chocolate');
    expect(found.written).toContain('Xyzzy');
  });

  it('uses its pinned version after later changes', async () => {
    const body = { name: 'z', rules: RULES };
    const { id } = await json('POST', `${DICTIONARIES}/add-from-rules`, body);
    await json('POST', `${DICTIONARIES}/${id}/set-rules`, { rules: [] });
    const found = await greeting({ dictionary_id: id, dictionary_version: 1 });
    expect(found.synthesise).toContain('chocolate');
    expect((await greeting({ dictionary_id: id })).synthesise).not.toContain('chocolate');
  });

  it('speaks without a deleted dictionary', async () => {
    const { id } = await json('POST', `${DICTIONARIES}/add-from-rules`, {
      name: 'y',
      rules: RULES,
    });
    await json('DELETE', `${DICTIONARIES}/${id}`);
    const found = await greeting({ dictionary_id: id });
    expect(found.synthesise).toContain('welcome');
    expect(found.synthesise).not.toContain('chocolate');
  });
});
