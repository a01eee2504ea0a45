import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeepgramSpeechToText } from '../../../agents-runtime/providers/deepgram.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type {
  StreamingTranscript,
  TranscriptionStream,
} from '../../../media/stt/speech-to-text.js';
import { DeepgramServer } from '../../support/fakes/deepgram-server.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

const PATIENCE = { timeout: 30_000 };

let server: DeepgramServer;
let line: TranscriptionStream | undefined;
beforeEach(async () => {
  server = await DeepgramServer.open();
});
afterEach(() => {
  line?.close();
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
  line = opened;
  return { line: opened, results, faults };
}

const isOpen = (opened: TranscriptionStream) =>
  expect.poll(() => opened.isOpen, PATIENCE).toBe(true);

describe('the line to Deepgram', () => {
  it('says who asks and what is sent, and brings results by the samples of the line', async () => {
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
    await expect.poll(() => results.length, PATIENCE).toBe(1);
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
    await expect.poll(() => served!.messageTypes, PATIENCE).toEqual(['Finalize', 'CloseStream']);
    expect(faults).toEqual([]);
  });

  it('lets it find out the language where none is named', async () => {
    const { line: opened, results } = open(undefined);
    await isOpen(opened);
    const [served] = server.connections;
    expect(served!.url.searchParams.get('language')).toBe('multi');
    const alternatives = [{ transcript: 'hola', languages: ['es-419', 'en'] }];
    server.result(served!, '', { channel: { alternatives } });
    await expect.poll(() => results, PATIENCE).toMatchObject([{ text: 'hola', language: 'es' }]);
  });

  it('stays open while nobody speaks', async () => {
    const clock = new VirtualClock();
    const { line: opened } = open('en', clock);
    await isOpen(opened);
    await clock.run(9_000);
    await expect
      .poll(() => server.connections[0]!.messageTypes, PATIENCE)
      .toEqual(['KeepAlive', 'KeepAlive']);
  });

  it('opens again after it broke, and counts anew', async () => {
    const { line: opened, faults } = open('en');
    await isOpen(opened);
    opened.push(new Float32Array(1_000));
    server.connections[0]!.socket.terminate();
    await expect.poll(() => faults, PATIENCE).toEqual([expect.stringMatching(/broke \(1006\)/)]);
    expect(opened.isOpen).toBe(false);
    // What comes meanwhile is nobody's.
    opened.push(new Float32Array(1_000));
    await isOpen(opened);
    expect(server.connections).toHaveLength(2);
    expect(opened.position).toBe(0);
  });

  it('that is refused is tried again ever later, and not any more after the call', async () => {
    server.refusalStatus = 401;
    const clock = new VirtualClock();
    const { line: opened, faults } = open('en', clock);
    for (const [count, ms] of [
      [1, 500],
      [2, 1_000],
      [3, 2_000],
    ] as const) {
      await expect.poll(() => faults.length, PATIENCE).toBe(count);
      await clock.run(ms);
    }
    await expect.poll(() => faults.length, PATIENCE).toBe(4);
    opened.close();
    expect(clock.pending).toBe(0);
    expect(faults.join()).not.toMatch(/s3cret/);
  });

  it('takes no notice of what is no result', async () => {
    const { line: opened, results, faults } = open('en');
    await isOpen(opened);
    const { socket } = server.connections[0]!;
    for (const text of ['{', '[]', '{"type":"Results"}', '{"type":"UtteranceEnd"}', 'null']) {
      socket.send(text);
    }
    socket.send(Buffer.alloc(10));
    server.result(server.connections[0]!, 'at last');
    await expect.poll(() => results.map(({ text }) => text), PATIENCE).toEqual(['at last']);
    expect(faults).toEqual([]);
  });
});
