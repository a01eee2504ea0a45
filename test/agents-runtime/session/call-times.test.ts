import { expect, it } from 'vitest';
import { harness, sleep } from '../../support/harness/call/call-harness.js';

it.each([0, 0.4])(
  'a client that reports too much playback moves no time before its audio was sent (%s ms)',
  async (fraction) => {
    const call = harness({
      reply: async function* ({ history }) {
        await sleep(call.clock, 100 + fraction);
        yield `You said ${history.at(-1)?.text}.`;
      },
    });
    let sentAt: number | undefined;
    const audio = call.transport.sendAudio.bind(call.transport);
    call.transport.sendAudio = (samples) => {
      sentAt ??= call.clock.now();
      audio(samples);
    };
    call.transport.onPlayed = () => call.call.played(1e9);
    call.call.connected();
    call.call.typed('hello');
    await call.clock.run(4_000);

    const spans = [
      ...call.transport.events.filter((event) => event.type === 'transcript'),
      ...call.turns.values(),
    ];
    const times = spans.flatMap(({ startMs, endMs }) => [startMs, endMs]);
    expect(times.length).toBeGreaterThan(4);
    expect(times.every((ms) => Number.isInteger(ms) && ms >= 0)).toBe(true);
    const answer = [...call.turns.values()].find(({ role }) => role === 'agent')!;
    expect(answer.startMs).toBeGreaterThanOrEqual(Math.floor(sentAt!));
    expect(answer.endMs).toBeGreaterThanOrEqual(answer.startMs);
    const latency = call.transport.events.find((event) => event.type === 'latency');
    expect(latency?.total).toBeGreaterThanOrEqual(100);
  },
);

it('speech from before the start of the call is recorded with its own start time', async () => {
  const call = harness();
  call.call.connected();
  // A client that buffered speech while connecting sends it at once.
  const speech = new Int16Array(320).fill(1000);
  call.said.push({ fromMs: 0, toMs: 1_000, text: 'hello' });
  for (let i = 0; i < 50; i++) call.call.audio(speech);
  await call.silence(3_000);
  const shown = call.transport.events.filter((event) => event.type === 'transcript');
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.every(({ startMs }) => startMs >= 0)).toBe(true);
});
