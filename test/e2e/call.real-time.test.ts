import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { LATENCY_PARTS } from '../../agents-runtime/session/turn-latency.js';
import type { AgentConfigInput } from '../../src/features/agents/config/agent-config.schema.js';
import { cough, speakWithPiper } from '../support/corpora/spoken-questions.js';
import { SpeechTranscriber } from '../support/harness/audio/speech-transcriber.js';
import {
  endedCall,
  makeAgent,
  requestConnection,
  SHOP,
  StoredCalls,
} from '../support/harness/call/call-agents.js';
import { CallClient, type CallClientOptions } from '../support/harness/call/call-client.js';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';

const ROSES = 'How much are twelve red roses?';
const ORCHIDS = 'Who teaches the class about orchids?';
const HOURS = 'Stop, please. When is the shop open?';
const REMARK = 'That is interesting.';

describeWith(['piper-tts'], 'live call', ({ 'piper-tts': python }) => {
  const said = new Map<string, Float32Array>();
  let product: Product;
  let stored: StoredCalls;
  let listener: SpeechTranscriber;

  beforeAll(async () => {
    const texts = [ROSES, ORCHIDS, HOURS, REMARK];
    listener = new SpeechTranscriber();
    const starting = startProduct().then((started) => {
      product = started;
    });
    const [spoken] = await Promise.all([speakWithPiper(python, texts), starting]);
    spoken.forEach((samples, i) => {
      said.set(texts[i]!, samples);
    });
    stored = new StoredCalls(product);
  });
  afterAll(async () => {
    await listener?.close();
    await stored?.close();
    await product?.stop();
  });

  /** Starts a call that ends with its test; also returns its ID. */
  async function call(
    { onTestFinished }: TestContext,
    config: AgentConfigInput = {},
    options: CallClientOptions = {},
  ) {
    // A timeout of 0 disables the inactivity prompts, which a slow machine could trigger.
    const quiet = { ...SHOP, greeting: '', user_silence_timeout: 0 };
    const agentId = await makeAgent(product, { ...quiet, ...config });
    const details = await requestConnection(product, agentId);
    const client = new CallClient(details, options);
    onTestFinished(async () => {
      client.hangUp();
      await endedCall(product, details.call_id);
      client.close();
    });
    await client.connect();
    return { client, details, callId: details.call_id };
  }

  /** Asks by voice and waits until the answer has played for `answerMs`. */
  async function askAloud(client: CallClient, question: string, answerMs: number) {
    const askedAt = client.lastSeq;
    await client.say(said.get(question)!);
    const { atMs } = await client.state('speaking', askedAt);
    await sleep(answerMs);
    return atMs;
  }

  /** Transcribes what the caller heard in a period, by default until the playout ends. */
  async function transcribe(client: CallClient, fromMs: number, toMs?: number) {
    const { player } = client;
    if (toMs === undefined) await client.playedOut();
    return listener.transcribe(player.playedBetween(fromMs, toMs), player.rate);
  }

  // The metrics are those of the first call; the following calls run concurrently.
  it('greets the caller and answers a spoken question correctly by voice', async (test) => {
    const { client, callId } = await call(test, { greeting: SHOP.greeting });
    const greeted = await client.state('listening');
    expect(await transcribe(client, 0)).toMatch(/flower|shop/);

    await client.say(said.get(ROSES)!);
    const heard = await client.final('user');
    expect(heard.text.toLowerCase()).toContain('roses');
    await client.state('listening', greeted.seq);
    const thought = await client.state('thinking');
    expect(await transcribe(client, thought.atMs)).toMatch(/thirty|30/);
    expect(client.states).toEqual(['speaking', 'listening', 'thinking', 'speaking', 'listening']);
    expect(client.player.hasPlayedAll).toBe(true);

    const latency = await client.waitFor('latency');
    const { turn, total, endpointing } = latency;
    expect(turn).toBe(1);
    expect(LATENCY_PARTS.reduce((sum, part) => sum + latency[part], 0)).toBe(total);

    client.hangUp();
    await client.waitFor('end', ({ reason }) => reason === 'user_hangup');
    expect(await client.closed()).toBe(1000);
    expect(await endedCall(product, callId)).toMatchObject({
      agent_name: 'Flower shop',
      call_type: 'web',
      has_transcript: true,
      ended_reason: 'user_hangup',
      transcription_stats: { user_turns: 1, agent_turns: 2 },
    });
    const turns = await stored.turns(callId);
    expect(turns.map(({ role, cut }) => ({ role, cut }))).toEqual([
      { role: 'agent', cut: false },
      { role: 'user', cut: false },
      { role: 'agent', cut: false },
    ]);
    expect(turns.map(({ role, text }) => `${role}: ${text}`)).toEqual(client.finals);
    expect(turns[2]?.latency).toMatchObject({ turn: 1, endpointing });
    for (const stretch of turns) expect(stretch.start_ms).toBeLessThan(stretch.end_ms);

    // Metrics contain no identifiers.
    const metricsNow = async () => (await fetch(`${product.url}/metrics`)).text();
    // The metric changes after the call record is stored.
    await expect.poll(metricsNow).toMatch(/^calls_ended_total\{reason="user_hangup"\} [1-9]/m);
    const metrics = await metricsNow();
    expect(metrics).toMatch(/^turns_total\{outcome="answered"\} [1-9]/m);
    expect(metrics).toMatch(/^turn_latency_seconds_count\{part="total"\} [1-9]/m);
    expect(metrics).toMatch(/^dead_air_seconds_count [1-9]/m);
    expect(metrics).toMatch(/^frame_lateness_seconds_count [1-9]/m);
    expect(metrics).toMatch(/^calls\{state="listening"\} \d/m);
    expect(metrics).toMatch(/^calls_admitted 1$/m);
    expect(metrics).not.toMatch(/roses|Flower|[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it.concurrent('stops speaking at a barge-in in mid-reply and answers it', async (test) => {
    const { client, callId } = await call(test);
    const askedMs = await askAloud(client, ORCHIDS, 2_500);
    const interruptedAt = client.lastSeq;
    await client.say(said.get(HOURS)!);
    const paused = await client.waitFor('pause');
    const cleared = await client.waitFor('clear');
    const thought = await client.state('thinking', interruptedAt);
    const answered = await client.state('speaking', interruptedAt);
    await client.state('listening', answered.seq);

    // Both messages may be late and arrive at the same time.
    expect(paused.seq).toBeLessThan(cleared.seq);
    // No audio was played or received between the clear and the next answer.
    const { arrivedAt } = client.player;
    const answeredAt = arrivedAt.find((at) => at >= thought.atMs);
    expect(client.player.playedBetween(cleared.atMs + 1, answeredAt)).toHaveLength(0);
    const sent = arrivedAt.filter((at) => at > cleared.atMs && at < thought.atMs);
    expect(sent).toEqual([]);
    expect(await transcribe(client, thought.atMs)).toMatch(/eight|8|six|6/);

    // The history contains the played part only.
    const turns = await stored.turns(callId);
    const cut = turns[1]!;
    expect(cut).toMatchObject({ role: 'agent', cut: true });
    const fact = SHOP.prompt!.slice(SHOP.prompt!.indexOf('Our gardener'));
    expect(fact.startsWith(cut.text)).toBe(true);
    expect(cut.text.length).toBeLessThan(0.8 * fact.length);
    const heard = await transcribe(client, askedMs, cleared.atMs);
    const difference = heard.split(' ').length - cut.text.split(' ').length;
    // Recognition of a single interruption varies by a word or two. `bench -- interrupted-history`
    // measures fifty interruptions.
    expect(Math.abs(difference), `${heard} | ${cut.text}`).toBeLessThanOrEqual(3);
    // Next to the remaining echo, at least one word must be recognised.
    expect(turns[2]?.text.toLowerCase()).toContain('shop');
  });

  it.concurrent('resumes at the exact sample after a cough', async (test) => {
    const { client } = await call(test, { vad_activation_threshold: 0.5 });
    await askAloud(client, ORCHIDS, 1_500);
    await client.say(cough());
    await client.waitFor('pause');
    await client.waitFor('resume');
    const spoken = await client.final('agent');
    await client.state('listening', spoken.seq);
    await client.playedOut();
    expect(client.player.resumeErrors).toEqual([0]);
    expect(client.player.hasPlayedAll).toBe(true);
    expect(client.states).toEqual(['listening', 'thinking', 'speaking', 'listening']);
    expect(client.finals).toHaveLength(2);
    expect(spoken.text).toMatch(/^Our gardener .* as long as they like\.$/);
  });

  it.concurrent('resumes if an interruption has too few words, and answers it afterwards', async (test) => {
    // More words than any wrong transcript of the remark has.
    const { client } = await call(test, { min_interruption_words: 8 });
    await askAloud(client, ROSES, 1_000);
    await client.say(said.get(REMARK)!);
    await client.waitFor('pause');
    const resumed = await client.waitFor('resume');
    const spoken = await client.final('agent');
    expect(client.player.resumeErrors).toEqual([0]);
    expect(spoken.text).toMatch(/ greenery\.$/);
    await client.state('speaking', resumed.seq);
    expect(client.messages.some(({ message }) => message.type === 'clear')).toBe(false);
    expect(client.finals[2]?.toLowerCase()).toContain('interesting');
  });

  it.concurrent('ends the turn of a caller whose microphone stops sending', async (test) => {
    const { client } = await call(test);
    await client.say(said.get(ROSES)!);
    client.mute(true);
    expect((await client.final('agent')).text).toMatch(/thirty dollars/);
  });

  it.concurrent('answers typed text on a socket with its token in the subprotocol', async (test) => {
    const { client } = await call(test, {}, { tokenAsSubprotocol: true });
    client.type('Do you deliver within the city?');
    await client.state('listening', (await client.state('speaking')).seq);
    expect(client.finals).toEqual([
      'user: Do you deliver within the city?',
      'agent: We deliver within the city for five dollars.',
    ]);
    expect(await transcribe(client, 0)).toMatch(/five|5/);
  });

  it.concurrent('pauses during a disconnection of 5 s and loses no audio', async (test) => {
    const { client, callId } = await call(test);
    const askedMs = await askAloud(client, ROSES, 1_000);
    client.drop();
    const playedBefore = client.player.playedMs;
    await sleep(5_000);
    // At most the audio that was sent ahead and not played yet.
    expect(client.player.playedMs - playedBefore).toBeLessThanOrEqual(1_500);
    const resumedAt = client.lastSeq;
    await client.resume();
    await client.state('listening', resumedAt);
    await client.playedOut();
    expect(client.player.lostSamples).toBe(0);
    expect(client.player.hasPlayedAll).toBe(true);
    expect(await transcribe(client, askedMs)).toMatch(/(thirty|30).*(vase|card|green)/);
    client.hangUp();
    await client.closed();
    expect(await endedCall(product, callId)).toMatchObject({ ended_reason: 'user_hangup' });
    const numbers = client.messages
      .filter(({ message }) => message.type !== 'ready')
      .map(({ message }) => message.seq);
    expect(numbers).toEqual(numbers.map((_, i) => i + 2));
  });

  it.concurrent('uses Opus in both directions in two concurrent calls', async (test) => {
    const audio = { up: 'opus', down: 'opus' } as const;
    const calls = await Promise.all([call(test, {}, { audio }), call(test, {}, { audio })]);
    const answers = await Promise.all(
      [ROSES, ORCHIDS].map(async (question, i) => {
        const { client } = calls[i]!;
        await client.say(said.get(question)!);
        const { atMs } = await client.state('speaking');
        await sleep(6_000);
        return transcribe(client, atMs, Date.now());
      }),
    );
    // A delayed microphone may split a question into two turns.
    const questions = calls.map(({ client }) =>
      client.finals.filter((said) => said.startsWith('user')),
    );
    expect(questions[0]!.join(' ').toLowerCase()).toContain('roses');
    expect(questions[1]!.join(' ').toLowerCase()).toMatch(/class|orchid/);
    expect(answers[0]).toMatch(/bouquet|roses|thirty|30/);
    expect(answers[1]).toMatch(/teach|class|orchid/);
    const { audio: agreed } = await calls[0]!.client.waitFor('ready');
    expect(agreed).toMatchObject({ up: 'opus', down: 'opus' });
  });

  it.concurrent('ends with its end token from another origin, for repeated requests too', async (test) => {
    const { client, details, callId } = await call(test);
    client.type('Do you deliver?');
    await client.state('speaking');
    const url = `${product.url}/api/v1/calls/${callId}/end`;
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
      'authorization',
    );
    const end = async (bearer: string) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { origin: 'https://shop.example', authorization: `Bearer ${bearer}` },
      });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      return { status: answer.status, body: await answer.json() };
    };
    expect(await end(details.participant_token)).toMatchObject({
      status: 401,
      body: { error: 'The bearer is neither the end token of this call nor a valid API key' },
    });
    const first = await end(details.end_token);
    expect(first).toMatchObject({ status: 200, body: { call_id: callId, status: 'ended' } });
    expect(await end(details.end_token)).toEqual(first);
    expect(await client.closed()).toBe(1000);
    expect(client.messages.at(-1)?.message).toMatchObject({ type: 'end', reason: 'user_hangup' });
    const other = await requestConnection(product, await makeAgent(product, SHOP));
    expect((await end(other.end_token)).status).toBe(401);
  });
});
