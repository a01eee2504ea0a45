import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { ALL_IDLE, type SpeechApp, startSpeechApp } from '../../support/harness/app/speech-app.js';

const TEXT = 'Good morning everyone. This is the second sentence! Is it the last one?';

let app: SpeechApp;
beforeAll(async () => {
  app = await startSpeechApp();
});
afterAll(() => app.close());

async function audio(path: string, body: unknown) {
  const response = await app.post(path, body);
  expect(response.status).toBe(200);
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function fault(body: unknown, path = 'speech/stream') {
  const response = await app.post(path, body);
  expect(response.headers.get('content-type')).toContain('application/json');
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('POST /tts/speech/stream', () => {
  it('needs only a text and streams MP3 at 32 kHz', async () => {
    const { headers, bytes } = await audio('speech/stream', { text: TEXT });
    expect(headers.get('content-type')).toBe('audio/mpeg');
    expect(headers.get('x-audio-sample-rate')).toBe('32000');
    expect(headers.get('transfer-encoding')).toBe('chunked');
    expect(headers.get('content-length')).toBe(null);
    expect(Number(headers.get('x-first-audio-ms'))).toBeGreaterThan(0);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(bytes[0]).toBe(0xff);
  });

  it.each([...AUDIO_FORMATS.values()])(
    'returns the bytes of the complete file in $name',
    async ({ name, contentType, sampleRate }) => {
      const body = { text: TEXT, audio_format: name };
      const stream = await audio('speech/stream', body);
      const whole = await audio('speech', body);
      for (const { headers } of [stream, whole]) {
        expect(headers.get('content-type')).toBe(contentType);
        expect(headers.get('x-audio-sample-rate')).toBe(String(sampleRate));
      }
      expect(whole.headers.get('content-length')).toBe(String(whole.bytes.length));
      const header = contentType === 'audio/wav' ? 44 : 0;
      expect(stream.bytes.subarray(header).equals(whole.bytes.subarray(header))).toBe(true);
      if (header > 0) {
        expect(stream.bytes.readUInt32LE(40)).toBe(0xffffffff);
        expect(whole.bytes.readUInt32LE(40)).toBe(whole.bytes.length - 44);
      }
    },
  );

  it('accepts null for optional fields, and numbers in any JSON notation', async () => {
    const nothing = { voice_id: null, audio_format: null, model: null, language: null };
    const plain = await audio('speech', { text: TEXT });
    const full = await audio('speech', { text: TEXT, ...nothing, temperature: '1', top_p: null });
    expect(full.bytes.equals(plain.bytes)).toBe(true);
  });

  it('selects the default voice of each language, for either model that supports it', async () => {
    const spoken = await audio('speech', { text: 'Hola.', language: 'es', audio_format: 'pcm' });
    const named = await audio('speech', {
      text: 'Hola.',
      language: 'es',
      voice_id: 'tono',
      model: 'svc-tts-multilingual-v1-2026-02-10',
      audio_format: 'pcm',
    });
    expect(named.bytes.equals(spoken.bytes)).toBe(true);
    const model = 'svc-tts-multilingual-v1-latest';
    expect((await audio('speech', { text: 'Hello.', model })).bytes.length).toBeGreaterThan(0);
  });

  it('accepts the maximum number of characters, counted as code points', async () => {
    const text = '😀'.repeat(4999);
    const { bytes } = await audio('speech', { text: `${text}a`, audio_format: 'pcm' });
    expect(bytes.length).toBe(2 * 2000);
    const { status, body } = await fault({ text: `${text}ab` });
    expect([status, body.code, body.detail]).toEqual([400, 'TEXT_TOO_LONG', null]);
    expect(body.error).toContain('5001');
  });

  it.each(['😀', '\u0000\u0007\u001b[2J', 'Привет 世界 مرحبا', '…', '\u200b', 'e\u0301'.repeat(9)])(
    'returns a complete file for the unusual text %j',
    async (text) => {
      const { bytes } = await audio('speech', { text, audio_format: 'wav' });
      expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
      expect(bytes.length).toBeGreaterThan(44);
    },
  );
});

describe('rejection before the first byte', () => {
  it.each([
    [{}, ['missing', ['body', 'text']]],
    [{ text: null }, ['string_type', ['body', 'text']]],
    [{ text: 5 }, ['string_type', ['body', 'text']]],
    [{ text: '' }, ['string_too_short', ['body', 'text']]],
    [{ text: ' \n\t\u00a0' }, ['value_error', ['body', 'text']]],
    [{ text: '\ud800' }, ['string_unicode', ['body', 'text']]],
    [{ text: 'x', audio_format: 'flac' }, ['enum', ['body', 'audio_format']]],
    [{ text: 'x', temperature: 2.1 }, ['less_than_equal', ['body', 'temperature']]],
    [{ text: 'x', temperature: -0.1 }, ['greater_than_equal', ['body', 'temperature']]],
    [{ text: 'x', temperature: 'NaN' }, ['finite_number', ['body', 'temperature']]],
    [{ text: 'x', top_p: 1.01 }, ['less_than_equal', ['body', 'top_p']]],
    [{ text: 'x', language: 'xx' }, ['enum', ['body', 'language']]],
    [{ text: 'x', language: 'auto' }, ['enum', ['body', 'language']]],
    [{ text: 'x', model: 'svc-tts-v9' }, ['enum', ['body', 'model']]],
    [{ text: 'x', dictionary_version: 0 }, ['greater_than_equal', ['body', 'dictionary_version']]],
    [[], ['model_attributes_type', ['body']]],
    ['{"text": "x"', ['json_invalid', ['body', 12]]],
    [Buffer.from('{"text":"\xff"}', 'latin1'), ['json_invalid', ['body', 0]]],
    [`{"text":"x","y":${'['.repeat(200)}${']'.repeat(200)}}`, ['json_invalid', ['body', 115]]],
  ])('applies to an invalid body, %#', async (body, [type, loc]) => {
    const found = await fault(body);
    expect(found.status).toBe(422);
    expect(found.body.detail).toMatchObject([{ type, loc }]);
  });

  it.each([
    [{ voice_id: 'nobody' }, 404, 'VOICE_NOT_FOUND'],
    [{ voice_id: 'hibari-heart' }, 404, 'VOICE_NOT_AVAILABLE'],
    [{ dictionary_id: 'none', dictionary_version: 1 }, 404, 'DICTIONARY_NOT_FOUND'],
    [{ language: 'es', model: 'svc-tts-v1-latest' }, 400, 'MODEL_LANGUAGE_MISMATCH'],
    [{ language: 'es', voice_id: 'tone' }, 400, 'VOICE_LANGUAGE_MISMATCH'],
    [{ language: 'de' }, 409, 'LANGUAGE_NOT_AVAILABLE'],
  ])('applies to an invalid combination: %j', async (fields, status, code) => {
    const body = { text: TEXT, ...fields };
    for (const path of ['speech', 'speech/stream']) {
      const found = await fault(body, path);
      expect([found.status, found.body.code]).toEqual([status, code]);
      expect(Object.keys(found.body).sort()).toEqual(['code', 'detail', 'error']);
    }
  });

  it('applies to a cloned voice that has failed', async () => {
    const own = await startSpeechApp({
      ownVoices: {
        find: async (account, id) =>
          account === 'a' && id === 'mine' ? { failureReason: 'Because.' } : undefined,
      },
    });
    for (const [voice_id, code, detail] of [
      ['mine', 'VOICE_NOT_AVAILABLE', 'Because.'],
      ['theirs', 'VOICE_NOT_FOUND', null],
    ]) {
      const response = await own.post('speech', { text: 'Hello.', voice_id });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code, detail });
    }
    await own.close();
  });

  it('names the command that installs a language', async () => {
    const { body } = await fault({ text: 'Guten Tag.', language: 'de' });
    expect(body.detail).toContain('npm run models -- add de');
  });

  it('reports all errors at once', async () => {
    const { body } = await fault({ text: '', top_p: 2, language: 'xx' });
    const names = body.detail.map((one: { loc: string[] }) => one.loc[1]);
    expect(names).toEqual(['text', 'top_p', 'language']);
  });

  it('applies to a text of 100,000 combining marks and a body of 5 MB', async () => {
    const marks = await fault({ text: `e${'\u0301'.repeat(100_000)}` });
    expect([marks.status, marks.body.code]).toEqual([400, 'TEXT_TOO_LONG']);
    const large = await fault({ text: 'x'.repeat(5_000_000) });
    expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('does not apply to __proto__, which is ignored', async () => {
    const { bytes } = await audio('speech', '{"text":"Hi.","__proto__":{"audio_format":"wav"}}');
    expect(bytes[0]).toBe(0xff);
  });

  it('applies to an error of the voice before its first audio', async () => {
    app.voice.beforeChunk = () => Promise.reject(new Error('the words themselves'));
    const { status, body } = await fault({ text: TEXT });
    app.voice.beforeChunk = () => Promise.resolve();
    expect([status, body.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(body)).not.toContain('words');
    expect(app.underWay()).toEqual(ALL_IDLE);
  });
});

it('the OpenAPI document describes both endpoints with every audio format', async () => {
  const document = JSON.parse(await (await fetch(`${app.url}/openapi.json`)).text());
  const { post } = document.paths['/api/v1/tts/speech/stream'];
  expect(Object.keys(post.responses['200'].content).sort()).toEqual(
    [...new Set([...AUDIO_FORMATS.values()].map(({ contentType }) => contentType))].sort(),
  );
  const schema = JSON.stringify(document);
  expect(schema).toContain('opus_48000_192');
  expect(schema).toContain('svc-tts-multilingual-v1-2026-02-10');
});
