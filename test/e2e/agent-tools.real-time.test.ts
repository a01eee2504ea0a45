import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import type { AgentConfigInput } from '../../src/features/agents/config/agent-config.schema.js';
import { DeepgramServer } from '../support/fakes/deepgram-server.js';
import { type ChatRequest, LlmServer, type ScriptedAnswer } from '../support/fakes/llm-server.js';
import { SpeechProviderServer } from '../support/fakes/speech-provider-server.js';
import { status, WebhookReceiver } from '../support/fakes/webhook-receiver.js';
import { SpeechTranscriber } from '../support/harness/audio/speech-transcriber.js';
import { SpeechSynthesiser } from '../support/harness/audio/synthesised-speech.js';
import {
  endedCall,
  makeAgent,
  requestConnection,
  StoredCalls,
} from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Product, removeDataDir, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';
import {
  type EverythingServer,
  startEverythingServer,
} from '../support/programs/mcp-everything-server.js';

const ORDER = 'Where is my order of Monday?';
const NUMBERS = 'Add the numbers, please.';
const ALOUD = 'Hold on a moment.';
const GOODBYE = 'Thank you, goodbye.';
const WHEN = 'When is the shop open?';

/** Recognises a question by one or two words and repeats tool results. */
function replyWithTools({ messages }: ChatRequest): ScriptedAnswer {
  const { role, content } = messages.at(-1)!;
  if (role === 'tool') return { say: `${textIn(content)}` };
  if (/order|monday/i.test(content)) return { calls: [{ name: 'look_up', args: { order: 7 } }] };
  if (/number|add/i.test(content)) {
    return { calls: [{ name: 'get-sum', args: { a: 20, b: 22 } }] };
  }
  if (/thank|bye/i.test(content)) {
    return { say: 'Have a nice day, goodbye.', calls: [{ name: 'end_call', args: {} }] };
  }
  return { calls: [{ name: 'skip_turn', args: {} }] };
}

/** The data of a tool result, without its heading. */
function textIn(result: string): string {
  const data: unknown = JSON.parse(result.slice(result.indexOf('\n') + 1));
  return typeof data === 'string' ? data : (data as { text: string }).text;
}

describe.concurrent('agent with tools and external speech services', () => {
  const dataDir = makeTestFolder();
  const said = new Map<string, Float32Array>();
  let server: LlmServer;
  let everything: EverythingServer;
  let audio: SpeechProviderServer;
  let deepgram: DeepgramServer;
  let listener: SpeechTranscriber;
  let product: Product;
  let stored: StoredCalls;

  beforeAll(async () => {
    server = await LlmServer.start({
      clerk: replyWithTools,
      german: ({ messages }) => ({ say: `Sie sagten: ${messages.at(-1)!.content}.` }),
      rescue: () => ({ say: 'The shop is open until nine.' }),
    });
    everything = await startEverythingServer('streamableHttp');
    listener = new SpeechTranscriber();
    const file = join(dataDir, 'models.json');
    const models = ['clerk', 'breaking', 'rescue', 'german'];
    writeFileSync(file, JSON.stringify([{ base_url: server.baseUrl, models }]));
    audio = await SpeechProviderServer.open();
    deepgram = await DeepgramServer.open();
    deepgram.transcript = 'var är mitt paket';
    const env = {
      LLM_FILE: file,
      LLM_FALLBACKS: 'rescue',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      STT_BASE_URL: audio.baseUrl,
      STT_LANGUAGES: 'de',
      TTS_BASE_URL: audio.baseUrl,
      TTS_LANGUAGES: 'de,sv',
      DEEPGRAM_API_KEY: 's3cret',
      DEEPGRAM_BASE_URL: deepgram.baseUrl,
      DEEPGRAM_LANGUAGES: 'sv',
    };
    [product] = await Promise.all([startProduct({ dataDir, env }), speakQuestions()]);
    stored = new StoredCalls(product);
  });
  afterAll(async () => {
    await stored?.close();
    await product?.stop();
    await listener?.close();
    await everything?.kill();
    audio?.close();
    deepgram?.close();
    server?.close();
    await removeDataDir(dataDir);
  });

  async function speakQuestions(): Promise<void> {
    const speaker = new SpeechSynthesiser(new CpuScheduler(1));
    for (const text of [ORDER, NUMBERS, ALOUD, GOODBYE, WHEN]) {
      said.set(text, await speaker.say(text));
    }
    await speaker.close();
  }

  /** The config as sent by a client; fields may be missing. */
  async function call(config: object) {
    // A timeout of 0 disables the inactivity prompts, which a slow machine could trigger.
    const fullConfig = {
      prompt: 'You help.',
      user_silence_timeout: 0,
      ...config,
    } as AgentConfigInput;
    const agent = await makeAgent(product, fullConfig);
    const details = await requestConnection(product, agent);
    const client = new CallClient(details);
    await client.connect();
    return { agent, client, callId: details.call_id };
  }

  /** Asks a question by voice and returns the transcript of the answer. */
  async function askAloud(client: CallClient, question: string): Promise<string> {
    const before = client.lastSeq;
    await client.say(said.get(question)!);
    const speakingMessage = await client.state('speaking', before);
    await client.state('listening', speakingMessage.seq);
    await client.playedOut();
    const { player } = client;
    return listener.transcribe(player.playedBetween(speakingMessage.atMs), player.rate);
  }

  it('answers with webhook and MCP tools, skips a turn and ends the call', async ({
    expect,
    onTestFinished,
  }) => {
    const hook = await WebhookReceiver.open();
    onTestFinished(() => hook.close());
    hook.answer(status(200, { text: 'The parcel arrives on Friday.' }));
    const { client, callId, agent } = await call({
      llm_model: 'clerk',
      llm_temperature: 0.3,
      allow_agent_to_end_call: true,
      allow_agent_to_skip_turn: true,
      webhooks: {
        events: [{ url: hook.url('/told'), events: ['tool.called'] }],
        tools: [
          {
            name: 'look_up',
            description: 'Looks for an order.',
            url: hook.url('/orders'),
            method: 'POST',
            parameters: { order: 'integer' },
            auth_type: 'bearer_token',
            auth_token: 's3cret',
          },
        ],
      },
      mcp_servers: [{ name: 'everything', url: everything.url }],
    });
    expect(await askAloud(client, ORDER)).toMatch(/friday/);
    expect(await askAloud(client, NUMBERS)).toMatch(/42|forty/);

    const before = client.lastSeq;
    await client.say(said.get(ALOUD)!);
    const thought = await client.state('thinking', before);
    await client.state('listening', thought.seq);
    await client.say(said.get(GOODBYE)!);
    await client.waitFor('end', ({ reason }) => reason === 'agent_hangup');
    expect(await client.closed()).toBe(1000);
    await client.playedOut();
    client.close();
    expect(client.finals.at(-1)).toMatch(/Have a nice day, goodbye\.$/);
    expect(client.player.hasPlayedAll).toBe(true);

    const toolRequest = hook.requests.find(({ path }) => path === '/orders')!;
    expect(toolRequest).toMatchObject({ method: 'POST', body: { order: 7 } });
    expect(toolRequest.headers).toMatchObject({
      authorization: 'Bearer s3cret',
      'x-agent-id': agent,
      'x-call-id': callId,
    });
    await endedCall(product, callId);
    const turns = await stored.turns(callId);
    const tools = turns.flatMap((turn) => turn.tools ?? []);
    // Speech may be split into two turns.
    expect(new Set(tools.map(({ name, kind, outcome }) => `${name} ${kind} ${outcome}`))).toEqual(
      new Set(['look_up webhook ok', 'get-sum mcp ok', 'skip_turn call ok', 'end_call call ok']),
    );
    expect(tools[0]!.result).toContain('Friday');
    await expect
      .poll(() => hook.requests.filter(({ path }) => path === '/told').length, { timeout: 30_000 })
      .toBe(tools.length);
    expect(server.requests.find(({ model }) => model === 'clerk')).toMatchObject({
      temperature: 0.3,
    });
    expect(product.logs()).not.toMatch(/s3cret|Friday|parcel/);
  });

  it.for([
    ['de', 'wo ist mein Paket'],
    ['sv', 'var är mitt paket'],
  ])('uses external speech services for %s', async ([language, expectedText], { expect }) => {
    const { client, callId } = await call({
      llm_model: 'german',
      tts_params: { language, voice_id: `remote-alloy-${language}` },
    });
    const before = client.lastSeq;
    const connectionsBefore = deepgram.connections.length;
    await client.say(said.get(WHEN)!);
    const speakingMessage = await client.state('speaking', before);
    await client.state('listening', speakingMessage.seq);
    await client.playedOut();
    client.hangUp();
    await client.closed();
    client.close();
    await endedCall(product, callId);
    expect(client.finals).toEqual([`user: ${expectedText}`, `agent: Sie sagten: ${expectedText}.`]);
    expect(client.player.hasPlayedAll).toBe(true);
    expect(audio.speeches.map(({ body }) => body.voice)).toContain('alloy');
    if (language === 'de') {
      expect(audio.transcripts.at(-1)!.fields.language).toBe('de');
      return;
    }
    expect(deepgram.connections.length).toBe(connectionsBefore + 1);
    await expect
      .poll(() => deepgram.connections.at(-1)!.messageTypes.at(-1), { timeout: 30_000 })
      .toBe('CloseStream');
  });

  it('continues with the fallback model after the first one fails in mid-sentence', async () => {
    const { client, callId } = await call({ llm_model: 'breaking' });
    expect(await askAloud(client, WHEN)).toMatch(/nine|9/);
    client.hangUp();
    await client.closed();
    client.close();
    expect(client.finals.at(-1)).toMatch(
      /The shop opens at eight\. .*my answer broke off there\. The shop is open until nine\.$/s,
    );
    expect(await endedCall(product, callId)).toMatchObject({ ended_reason: 'user_hangup' });
  });
});
