import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ALL_IDLE,
  type SpeechApp,
  startSpeechApp,
} from '../../../support/harness/app/speech-app.js';
import { SpeechSocket } from '../../../support/harness/call/speech-socket.js';

const LONG = 'Many words are spoken. '.repeat(200);

const WITHIN = { timeout: 20_000 };
let app: SpeechApp;
beforeAll(async () => {
  app = await startSpeechApp();
});
afterAll(() => app.close());
afterEach(async () => {
  app.voice.beforeChunk = () => Promise.resolve();
  await expect.poll(() => app.underWay(), WITHIN).toEqual(ALL_IDLE);
});

const open = () => SpeechSocket.open(app.url, 'multi-stream');

async function overHttp(text: string): Promise<Buffer> {
  const response = await app.post('speech', { text, audio_format: 'pcm' });
  return Buffer.from(await response.arrayBuffer());
}

const FIRST = { audio_format: 'pcm', context_id: 'a' };
const last = (context_id: string) => ({ is_last: true, context_id });
const gone = (context_id: string) => ({ context_closed: true, context_id });

describe('multi-context speech socket', () => {
  it('reports the end of each flush and keeps the context', async () => {
    const client = (await open()).send(
      { ...FIRST, text: 'The first one.', flush: true },
      { context_id: 'a', text: 'And the ' },
      { context_id: 'a', text: 'second.', flush: true },
      { context_id: 'a', flush: true },
    );
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(3);
    expect(client.controlMessages).toEqual([last('a'), last('a'), last('a')]);
    const wanted = [await overHttp('The first one.'), await overHttp('And the second.')];
    expect(client.audio('a').equals(Buffer.concat(wanted))).toBe(true);
    client.send({ close_socket: true });
    expect((await client.closed).code).toBe(1000);
    expect(client.controlMessages.slice(3)).toEqual([gone('a')]);
  });

  it('speaks its contexts concurrently, each in order', async () => {
    const texts = ['One fish swims.', 'Two birds fly over.', 'Three cats sleep here now.'];
    const client = (await open()).send({ audio_format: 'pcm', context_id: '0' });
    for (const [index, text] of texts.entries()) {
      client.send({ context_id: String(index), text, flush: true, close_context: true });
    }
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(6);
    for (const [index, text] of texts.entries()) {
      const id = String(index);
      expect(client.audio(id).equals(await overHttp(text))).toBe(true);
      expect(client.messages.filter(({ context_id }) => context_id === id).slice(-2)).toEqual([
        last(id),
        gone(id),
      ]);
    }
    client.socket.close();
    expect((await client.closed).code).toBe(1005);
  });

  it('generates a missing ID, and a message without ID refers to the only context', async () => {
    const client = (await open()).send(
      { audio_format: 'pcm', text: 'Hello ' },
      { text: 'there.', flush: true },
    );
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(1);
    const id = client.controlMessages[0]!.context_id!;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(client.audio(id).equals(await overHttp('Hello there.'))).toBe(true);
    client.send({ context_id: 'b', text: 'x' }, { text: 'Who is meant?' });
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(2);
    expect(client.controlMessages[1]).toEqual({ error: expect.stringContaining('context_id') });
    client.socket.close();
    await client.closed;
  });

  it('closes an auto-close context after its flush', async () => {
    const client = (await open()).send(
      { ...FIRST, auto_close: true, text: 'One.', flush: true },
      { context_id: 'b', text: 'Two.', flush: true },
    );
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(3);
    const messagesOf = (id: string) =>
      client.controlMessages.filter(({ context_id }) => context_id === id);
    expect([messagesOf('a'), messagesOf('b')]).toEqual([[last('a'), gone('a')], [last('b')]]);
    client.socket.close();
    await client.closed;
  });

  it('stops a context immediately when it is closed without a flush', async () => {
    app.voice.chunks = 0;
    const client = (await open()).send({ ...FIRST, text: LONG, flush: true });
    await expect.poll(() => client.audio('a').length, WITHIN).toBeGreaterThan(0);
    client.send({ context_id: 'a', close_context: true });
    await expect.poll(() => client.controlMessages, WITHIN).toEqual([gone('a')]);
    const { length } = client.messages;
    await expect.poll(() => app.underWay(), WITHIN).toEqual(ALL_IDLE);
    expect(client.messages.length).toBe(length);
    expect(app.voice.chunks).toBeLessThan(300);
    client.send({ context_id: 'b', text: 'Still here.', flush: true });
    await expect.poll(() => client.controlMessages.at(-1), WITHIN).toEqual(last('b'));
    client.socket.close();
    await client.closed;
  });

  it('speaks flushed text before it closes, and drops the rest', async () => {
    const client = (await open()).send(
      { ...FIRST, text: 'To the end.', flush: true },
      { context_id: 'b', text: 'never flushed, never' },
      { close_socket: true },
      { context_id: 'c', text: 'Too late.', flush: true },
    );
    expect(await client.closed).toEqual({ code: 1000, reason: '' });
    expect(client.controlMessages.filter(({ context_id }) => context_id === 'a')).toEqual([
      last('a'),
      gone('a'),
    ]);
    expect(client.controlMessages.filter(({ context_id }) => context_id !== 'a')).toEqual([
      gone('b'),
    ]);
    expect(client.audio('a').equals(await overHttp('To the end.'))).toBe(true);
  });

  it.each([
    ['hangs up', (client: SpeechSocket) => client.socket.terminate()],
    ['closes', (client: SpeechSocket) => client.socket.close()],
    ['sends invalid JSON', (client: SpeechSocket) => client.send('{')],
  ])('leaves nothing behind if the client %s during many contexts', async (_, leave) => {
    app.voice.chunks = 0;
    const client = (await open()).send({ audio_format: 'pcm' });
    for (let i = 0; i < 8; i++) client.send({ context_id: `${i}`, text: LONG, flush: true });
    await expect.poll(() => app.voice.chunks, WITHIN).toBeGreaterThan(8);
    expect(app.slots.used).toBe(8);
    leave(client);
    await client.closed;
    await expect.poll(() => app.underWay(), WITHIN).toEqual(ALL_IDLE);
    expect(app.voice.chunks).toBeLessThan(8 * 400);
  });

  it('continues with other contexts after an error in one', async () => {
    const client = (await open()).send(
      { ...FIRST, text: 'This one ends in a FAULT.', flush: true },
      { context_id: 'b', text: 'This one does not.', flush: true },
    );
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(3);
    expect(client.controlMessages.filter(({ context_id }) => context_id === 'a')).toEqual([
      { error: 'Something went wrong on our side', context_id: 'a' },
      gone('a'),
    ]);
    expect(client.audio('b').equals(await overHttp('This one does not.'))).toBe(true);
    client.socket.close();
    await client.closed;
  });
});

describe('multi-context speech socket with errors', () => {
  it('rejects a closed context, an unknown one, and the 21st', async () => {
    const client = (await open()).send(
      { ...FIRST, text: 'One.', flush: true },
      { context_id: 'z', close_context: true },
    );
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(2);
    client.send({ context_id: 'a', close_context: true });
    await expect.poll(() => client.controlMessages.length, WITHIN).toBe(3);
    client.send({ context_id: 'a', text: 'Again.', flush: true });
    for (let i = 0; i < 100; i++) client.send({ context_id: `c${i}`, text: 'held' });
    client.send({ context_id: 'c3', text: ' no more.', flush: true });
    await expect.poll(() => client.controlMessages.at(-1), WITHIN).toEqual(last('c3'));
    const errors = client.controlMessages.filter(({ error }) => error !== undefined);
    expect(errors.map(({ context_id }) => context_id)).toEqual([
      'z',
      'a',
      ...Array.from({ length: 80 }, (_, i) => `c${i + 20}`),
    ]);
    client.socket.close();
    await client.closed;
  });

  it.each([
    [[{ ...FIRST, text: 'x' }, FIRST], 1007, 'extra inputs are not permitted', 0],
    [[FIRST, { context_id: 'b', voice_id: 'tone' }], 1007, 'extra inputs are not permitted', 0],
    [[{ context_id: '' }], 1007, /^context_id: /, 0],
    [[{ close_context: true }], 1007, 'extra inputs are not permitted', 0],
    [['{'], 1007, 'the message is not valid JSON', 0],
    [[FIRST, Buffer.from('{}')], 1003, 'messages are JSON text', 0],
    [[{ voice_id: 'nobody' }], 1008, /voice_id/, 1],
    [[FIRST, { context_id: 'b', text: 'x'.repeat(5001) }], 1008, /5000/, 1],
    [[FIRST, ...Array.from({ length: 40 }, () => ({ text: LONG, flush: true }))], 1008, /32/, 1],
  ])('closes after %#', async (messages, code, reason, errors) => {
    const client = (await open()).send(...messages);
    expect(await client.closed).toEqual({
      code,
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
    expect(client.messages.filter(({ error }) => error !== undefined).length).toBe(errors);
  });

  it('rejects text beyond the credits or the quota of the account', async () => {
    const limitedApp = await startSpeechApp({
      ownSlots: 2,
      credits: {
        spendOnSpeech: async (_, characters) => (characters > 20 ? undefined : '0'),
        refund: async () => undefined,
      },
    });
    try {
      let go: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      limitedApp.voice.beforeChunk = () => gate;
      const client = await SpeechSocket.open(limitedApp.url, 'multi-stream');
      for (const context_id of ['a', 'b', 'c']) client.send({ context_id, text: 'x', flush: true });
      await expect.poll(() => client.controlMessages.length, WITHIN).toBe(2);
      expect(client.controlMessages).toEqual([
        { error: expect.stringContaining('2 texts'), context_id: 'c' },
        gone('c'),
      ]);
      go();
      await expect.poll(() => client.controlMessages.length, WITHIN).toBe(4);
      client.send({ context_id: 'a', text: 'This is longer than can be paid.', flush: true });
      expect((await client.closed).code).toBe(1008);
      const single = await SpeechSocket.open(limitedApp.url, 'stream');
      single.send({ text: 'This is longer than can be paid.', flush: true });
      expect(await single.closed).toEqual({
        code: 1008,
        reason: 'The account has too few credits for this text',
      });
      expect(single.messages).toEqual([]);
      await expect.poll(() => limitedApp.underWay(), WITHIN).toEqual(ALL_IDLE);
    } finally {
      await limitedApp.close();
    }
  });
});
