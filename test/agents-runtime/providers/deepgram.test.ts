import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeepgramSpeechToText } from '../../../agents-runtime/providers/deepgram.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type {
  StreamingTranscript,
  TranscriptionStream,
} from '../../../media/stt/speech-to-text.js';
import { DeepgramServer } from '../../support/fakes/deepgram-server.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

const WAIT_OPTIONS = { timeout: 30_000 };

let server: DeepgramServer;
let stream: TranscriptionStream | undefined;
beforeEach(async () => {
  server = await DeepgramServer.open();
});
afterEach(() => {
  stream?.close();
  server.close();
});

function open(language: string | undefined, clock = systemClock) {
  const results: StreamingTranscript[] = [];
  const faults: string[] = [];
  const recogniser = new DeepgramSpeechToText({
    baseUrl: server.baseUrl,
    apiKey: 's3cret',
    model: 'nova-3',
    clock,
  });
  const opened = recogniser.open({
    language,
    onResult: (result) => results.push(result),
    onFault: (error) => faults.push(String(error)),
  });
  stream = opened;
  return { line: opened, results, faults };
}

const isOpen = (opened: TranscriptionStream) =>
  expect.poll(() => opened.isOpen, WAIT_OPTIONS).toBe(true);

describe('Deepgram connection', () => {
  it('sends the credentials and the audio format, and times results in samples of the stream', async () => {
    const { line: opened, results, faults } = open('en');
    await isOpen(opened);
    const [served] = server.connections;
    expect(served!.headers.authorization).toBe('Token s3cret');
    expect(served!.url.pathname).toBe('/v1/listen');
    expect(Object.fromEntries(served!.url.searchParams)).toMatchObject({
      model: 'nova-3',
      language: 'en',
      encoding: 'linear16',
      sample_rate: '16000',
      interim_results: 'true',
    });
    opened.push(new Float32Array(8_000).fill(0.5));
    opened.finalise();
    await expect.poll(() => results.length, WAIT_OPTIONS).toBe(1);
    expect(served!.bytes).toBe(16_000);
    expect(opened.position).toBe(8_000);
    expect(results[0]).toEqual({
      text: 'where is my order',
      isFinal: true,
      answersFinalise: true,
      toSample: 8_000,
      language: 'en',
    });
    opened.close();
    await expect
      .poll(() => served!.messageTypes, WAIT_OPTIONS)
      .toEqual(['Finalize', 'CloseStream']);
    expect(faults).toEqual([]);
  });

  it('requests language detection without a configured language', async () => {
    const { line: opened, results } = open(undefined);
    await isOpen(opened);
    const [served] = server.connections;
    expect(served!.url.searchParams.get('language')).toBe('multi');
    const alternatives = [{ transcript: 'hola', languages: ['es-419', 'en'] }];
    server.result(served!, '', { channel: { alternatives } });
    await expect
      .poll(() => results, WAIT_OPTIONS)
      .toMatchObject([{ text: 'hola', language: 'es' }]);
  });

  it('stays open during silence', async () => {
    const clock = new VirtualClock();
    const { line: opened } = open('en', clock);
    await isOpen(opened);
    await clock.run(9_000);
    await expect
      .poll(() => server.connections[0]!.messageTypes, WAIT_OPTIONS)
      .toEqual(['KeepAlive', 'KeepAlive']);
  });

  it('reconnects after a failure and counts samples from the start', async () => {
    const { line: opened, faults } = open('en');
    await isOpen(opened);
    opened.push(new Float32Array(1_000));
    server.connections[0]!.socket.terminate();
    await expect
      .poll(() => faults, WAIT_OPTIONS)
      .toEqual([expect.stringMatching(/broke \(1006\)/)]);
    expect(opened.isOpen).toBe(false);
    // Audio sent before the reconnection is not counted.
    opened.push(new Float32Array(1_000));
    await isOpen(opened);
    expect(server.connections).toHaveLength(2);
    expect(opened.position).toBe(0);
  });

  it('retries a refused connection with increasing delays, and not after the call', async () => {
    server.refusalStatus = 401;
    const clock = new VirtualClock();
    const { line: opened, faults } = open('en', clock);
    for (const [count, ms] of [
      [1, 500],
      [2, 1_000],
      [3, 2_000],
    ] as const) {
      await expect.poll(() => faults.length, WAIT_OPTIONS).toBe(count);
      await clock.run(ms);
    }
    await expect.poll(() => faults.length, WAIT_OPTIONS).toBe(4);
    opened.close();
    expect(clock.pending).toBe(0);
    expect(faults.join()).not.toMatch(/s3cret/);
  });

  it('ignores messages without results', async () => {
    const { line: opened, results, faults } = open('en');
    await isOpen(opened);
    const { socket } = server.connections[0]!;
    for (const text of ['{', '[]', '{"type":"Results"}', '{"type":"UtteranceEnd"}', 'null']) {
      socket.send(text);
    }
    socket.send(Buffer.alloc(10));
    server.result(server.connections[0]!, 'at last');
    await expect.poll(() => results.map(({ text }) => text), WAIT_OPTIONS).toEqual(['at last']);
    expect(faults).toEqual([]);
  });
});
