import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OpenAiSpeech } from '../../../agents-runtime/providers/openai-speech.js';
import { OpenAiTranscription } from '../../../agents-runtime/providers/openai-transcription.js';
import { FallbackSpeechToText } from '../../../agents-runtime/providers/stt-fallback.js';
import type { SpeechToText } from '../../../media/stt/speech-to-text.js';
import type { SpeechChunk } from '../../../media/tts/text-to-speech.js';
import { SpeechProviderServer, sendTone } from '../../support/fakes/speech-provider-server.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

let server: SpeechProviderServer;
beforeAll(async () => {
  server = await SpeechProviderServer.open();
});
afterEach(() => {
  server.intercept = undefined;
  server.bytesPerCharacter = 960;
});
afterAll(() => server.close());

const PRIORITY = { priority: 'final-transcript' } as const;

describe('transcription endpoint', () => {
  const recogniser = () =>
    new OpenAiTranscription({
      baseUrl: server.baseUrl,
      apiKey: 's3cret',
      model: 'whisper-1',
      languages: ['en', 'de'],
    });

  it('receives a WAV file, the model and the language', async () => {
    const samples = new Float32Array(16_000).fill(0.5);
    const { text } = await recogniser().transcribe(samples, { ...PRIORITY, language: 'de' });
    expect(text).toBe('wo ist mein Paket');
    const { headers, fields, wav } = server.transcripts.at(-1)!;
    expect(headers.authorization).toBe('Bearer s3cret');
    expect(fields).toEqual({ model: 'whisper-1', language: 'de', response_format: 'json' });
    expect(wav.subarray(0, 4).toString()).toBe('RIFF');
    expect(wav.readUInt32LE(24)).toBe(16_000);
    expect(wav.length).toBe(44 + 32_000);
    expect(wav.readInt16LE(44)).toBe(16_384);
  });

  it.each([
    ['german', 'de'],
    ['de', 'de'],
    ['pt-BR', 'pt'],
    ['klingon', undefined],
    [undefined, undefined],
  ])('returns the detected language: %s', async (language, code) => {
    server.transcription = { text: ' Hallo ', language };
    const samples = new Float32Array(1_600);
    const result = await recogniser().transcribe(samples, PRIORITY);
    expect(result.text).toBe('Hallo');
    expect(server.transcripts.at(-1)!.fields.response_format).toBe('verbose_json');
    expect(result.language).toBe(code);
  });

  it('maps failures and invalid responses to one error code', async () => {
    const answers: NonNullable<SpeechProviderServer['intercept']>[] = [
      (response) => response.writeHead(400).end('{}'),
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi</p>'),
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[1]'),
      (response) => response.destroy(),
    ];
    for (const answer of answers) {
      server.intercept = answer;
      const pendingText = recogniser().transcribe(new Float32Array(1_600), PRIORITY);
      await expect(pendingText).rejects.toMatchObject({ code: 'RECOGNITION_FAILED' });
    }
  });

  it('aborts the request when the text is no longer needed', async () => {
    server.intercept = () => undefined;
    const stop = new AbortController();
    const pendingText = recogniser().transcribe(new Float32Array(1_600), {
      ...PRIORITY,
      signal: stop.signal,
    });
    stop.abort();
    await expect(pendingText).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('several recognisers', () => {
  function scripted(id: string, languages: string[], fails: () => boolean): SpeechToText {
    return {
      id,
      languages,
      interimEveryMs: id.length,
      async transcribe() {
        if (fails()) throw new Error(`${id} is dead`);
        return { text: id, providerId: id };
      },
    };
  }

  it('are used in order, and a failed one is skipped until its retry time', async () => {
    const clock = new VirtualClock();
    const faults: string[] = [];
    let isDead = true;
    const all = new FallbackSpeechToText({
      recognisers: [
        scripted('far', ['en', 'de'], () => isDead),
        scripted('local', ['en'], () => false),
      ],
      clock,
      onFault: (error) => faults.push(String(error)),
    });
    const ask = async (language?: string) =>
      (await all.transcribe(new Float32Array(1), { ...PRIORITY, language })).text;
    expect(all.interimEveryMs).toBe(3);
    expect(await ask('en')).toBe('local');
    expect(await ask('en')).toBe('local');
    expect(faults).toEqual(['Error: far is dead']);
    expect(all.interimEveryMs).toBe(5);
    // No other recogniser supports this language.
    await expect(ask('de')).rejects.toThrow('far is dead');
    await expect(ask('pl')).rejects.toMatchObject({ code: 'RECOGNITION_FAILED' });
    isDead = false;
    await clock.run(10_001);
    expect(await ask('en')).toBe('far');
    expect(await ask()).toBe('far');
  });

  it('skip a hanging one if another one is available, and wait for the last one', async () => {
    const clock = new VirtualClock();
    const hangs = (id: string, languages: string[]): SpeechToText => ({
      id,
      languages,
      transcribe: (_samples, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error(`${id} was stopped`)));
        }),
    });
    const faults: string[] = [];
    const all = new FallbackSpeechToText({
      recognisers: [hangs('far', ['en', 'de']), scripted('local', ['en'], () => false)],
      clock,
      onFault: (error) => faults.push(String(error)),
    });
    const pendingText = all.transcribe(new Float32Array(1), { ...PRIORITY, language: 'en' });
    await clock.run(2_600);
    expect(await pendingText).toEqual({ text: 'local', providerId: 'local' });
    expect(faults).toEqual([expect.stringContaining('No words came in time (far)')]);

    const stop = new AbortController();
    const alone = all.transcribe(new Float32Array(1), {
      ...PRIORITY,
      language: 'de',
      signal: stop.signal,
    });
    const ended = alone.catch((error: unknown) => String(error));
    await clock.run(20_000);
    stop.abort();
    expect(await ended).toBe('Error: far was stopped');
  });
});

describe('speech endpoint', () => {
  const TEXT = 'Das Paket kommt am Freitag.';

  async function speak(text = TEXT, voice = makeVoice(), stop = new AbortController()) {
    const chunks: SpeechChunk[] = [];
    const utterance = { text, language: 'de', temperature: 1, topP: 0.8, seed: 1, speed: 1 };
    const options = { signal: stop.signal, firstPriority: 'first-chunk' } as const;
    for await (const chunk of voice.speak(utterance, options)) chunks.push(chunk);
    const words = chunks.flatMap((chunk) => chunk.words);
    return { chunks, words, length: chunks.reduce((sum, { samples }) => sum + samples.length, 0) };
  }

  function makeVoice() {
    return new OpenAiSpeech({
      id: 'remote-alloy-de',
      baseUrl: server.baseUrl,
      apiKey: 's3cret',
      model: 'tts-1',
      voice: 'alloy',
      languages: ['de'],
    });
  }

  it('is asked for raw samples and delivers all of them', async () => {
    const { length, chunks } = await speak();
    const { headers, body } = server.speeches.at(-1)!;
    expect(headers.authorization).toBe('Bearer s3cret');
    expect(body).toMatchObject({
      model: 'tts-1',
      voice: 'alloy',
      input: TEXT,
      response_format: 'pcm',
    });
    expect(length).toBe((TEXT.length * 960) / 2);
    expect(chunks[0]!.samples).toHaveLength(2_400);
    // Chunks of an odd length do not split samples: a tone has no jumps.
    const all = chunks.flatMap(({ samples }) => [...samples]);
    const jumps = all.slice(1).map((sample, i) => Math.abs(sample - all[i]!));
    expect(Math.max(...jumps)).toBeLessThan(0.1);
  });

  it('times words by the pace of the previous sentences', async () => {
    server.bytesPerCharacter = 2_400;
    const voice = makeVoice();
    for (let i = 0; i < 12; i++) await speak(TEXT, voice);
    const { words, length } = await speak(TEXT, voice);
    expect(words.map(({ textStart, textEnd }) => TEXT.slice(textStart, textEnd))).toEqual(
      TEXT.split(' '),
    );
    expect(words[0]!.startSample).toBe(0);
    expect(words.at(-1)!.endSample / length).toBeGreaterThan(0.9);
    expect(words.at(-1)!.endSample / length).toBeLessThan(1.05);
  });

  it('maps failures, aborted and invalid responses to one error code', async () => {
    const answers: NonNullable<SpeechProviderServer['intercept']>[] = [
      (response) => response.writeHead(500).end('{}'),
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      (response) => response.writeHead(200, { 'content-type': 'audio/pcm' }).end(),
      (response) => {
        response.writeHead(200, { 'content-type': 'audio/pcm' });
        sendTone(response, 50_000, false);
      },
    ];
    for (const answer of answers) {
      server.intercept = answer;
      await expect(speak()).rejects.toMatchObject({ code: 'SPEECH_FAILED' });
    }
  });

  it('aborts the request when the caller interrupts', async () => {
    server.intercept = () => undefined;
    const stop = new AbortController();
    const speaking = speak(TEXT, makeVoice(), stop);
    stop.abort();
    await expect(speaking).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
