import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { request } from 'undici';
import type { HistoryItem, LlmRequest } from '../../agents-runtime/contract/language-model.js';
import type { ToolSpec } from '../../agents-runtime/contract/tools.js';
import { messagesOf, OpenAiChatModel } from '../../agents-runtime/providers/openai-chat.js';
import { ToolExecutor } from '../../agents-runtime/reply/tool-executor.js';
import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import { createAgentTools } from '../../src/composition/sessions.module.js';
import { AllowedHosts } from '../../src/platform/egress/allowed-hosts.js';
import { EgressClient } from '../../src/platform/egress/egress-client.js';
import { EgressGuard } from '../../src/platform/egress/egress-guard.js';
import { TestMcpServer, textResult } from '../support/fakes/mcp-server.js';
import { status, WebhookReceiver } from '../support/fakes/webhook-receiver.js';
import { CONFIG } from '../support/harness/call/call-harness.js';
import { type Percentiles, percentilesOf } from '../support/harness/endpointing/percentiles.js';
import { machineNow, numberBehind } from './comparison.js';

const TIMES = 300;
const WARM_UP = 30;
/** Upper limit of the median overhead of an LLM request and of a tool call, in milliseconds. */
const BAR_MS = 5;

const NONE = { type: 'none', token: null, headers: {} } as const;

/** 100 turns of about 30 words as sent to the LLM, and 20 tools. */
const HISTORY: readonly HistoryItem[] = Array.from({ length: 200 }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'agent',
  text: `${'several words of a longer talk '.repeat(5)}${i}`,
  cut: false,
}));
const TOOLS: readonly ToolSpec[] = Array.from({ length: 20 }, (_, i) => ({
  name: `tool_${i}`,
  description: 'Looks something up and tells what it found, in a sentence or two.',
  parameters: {
    type: 'object',
    properties: { order: { type: 'string' }, day: { type: 'string' } },
  },
  mode: 'sync',
  timeoutMs: 5_000,
}));

const REQUEST: LlmRequest = {
  prompt: 'You are the voice of a shop. '.repeat(100),
  history: HISTORY,
  temperature: 0.7,
  language: 'en',
  knowledgeBaseId: null,
  tools: TOOLS,
  signal: new AbortController().signal,
};
const never = () => new AbortController().signal;

/**
 * Measures the gateway's overhead for LLM requests and tool calls. Each alternates with a bare
 * request to the same loopback server. `--times N`, `--json`.
 */
export async function run(args: readonly string[]): Promise<number> {
  const times = numberBehind(args, '--times', TIMES);
  const figures = { ...(await modelCalls(times)), ...(await toolCalls(times)), ...context(times) };
  const verdicts = [
    verdict('own share of a model call p50, ms', figures.modelOwn.p50),
    verdict('own share of a tool call p50, ms', figures.toolOwn.p50),
  ];
  if (args.includes('--json')) {
    console.log(JSON.stringify({ machine: machineNow(), figures, verdicts }, undefined, 2));
  } else {
    for (const [name, { count, p50, p95, p99, max }] of Object.entries(figures)) {
      const cells = [p50, p95, p99, max].map((ms) => ms.toFixed(2).padStart(9)).join('');
      console.log(`${name.padEnd(16)} ${String(count).padStart(4)} × ${cells} ms`);
    }
    for (const { name, figure, bar, isMet } of verdicts) {
      console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${figure.toFixed(2)} (bar ${bar})`);
    }
  }
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

/** Time to the first token: through the LLM client, and by a bare request with the same body. */
async function modelCalls(times: number) {
  const server = new Worker(new URL('./llm-overhead-server.js', import.meta.url));
  try {
    const [baseUrl] = (await once(server, 'message')) as [string];
    const endpoint = { baseUrl, apiKey: undefined, contextTokens: 16_384 };
    const model = new OpenAiChatModel('quick', endpoint);
    const messages = messagesOf(REQUEST, endpoint.contextTokens);
    const body = JSON.stringify({ model: 'quick', messages, tools: TOOLS, stream: true });
    const ours = async () => {
      let ms = 0;
      const from = performance.now();
      for await (const _ of model.generate({ ...REQUEST, signal: never() }))
        ms ||= performance.now() - from;
      return ms;
    };
    const bare = async () => {
      const from = performance.now();
      const headers = { 'content-type': 'application/json' };
      const url = `${baseUrl}/chat/completions`;
      const answer = await request(url, { method: 'POST', headers, body });
      let ms = 0;
      for await (const part of answer.body) {
        if (String(part).includes('Yes.')) ms ||= performance.now() - from;
      }
      return ms;
    };
    const { own, whole } = await compared(times, ours, bare);
    return { model: whole, modelOwn: own };
  } finally {
    await server.terminate();
  }
}

/**
 * Time from the LLM's tool call to its result: a webhook and an MCP tool, compared with a bare
 * request.
 */
async function toolCalls(times: number) {
  const receiver = await WebhookReceiver.open();
  const mcp = await TestMcpServer.open({ find: () => textResult('{"status":"on its way"}') });
  const guard = new EgressGuard({ allowed: new AllowedHosts(['127.0.0.1']) });
  const log = pino({ level: 'silent' });
  const tools = createAgentTools({ egress: new EgressClient(guard), log });
  const lookCall = {
    name: 'look',
    description: '',
    url: receiver.url(),
    method: 'POST',
    executionMode: 'sync',
    authentication: NONE,
    parameters: { order: 'string' },
    response: null,
    timeoutMs: 5_000,
  } as const;
  const server = {
    name: 'mcp',
    description: '',
    url: mcp.url,
    transport: 'streamable-http',
    authentication: NONE,
  } as const;
  const config = { ...CONFIG, tools: [lookCall], mcpServers: [server] };
  const open = await tools.open(config, { accountId: 'o', agentId: 'a', callId: 'c' });
  const runs = new ToolExecutor(open!.tools, systemClock, {
    started: () => undefined,
    ended: () => undefined,
    remember: () => undefined,
    toolCallEnded: () => undefined,
    onFault: (error) => console.error(error),
  });
  const answer = status(200, { status: 'on its way', lines: [1, 2, 3] });
  const ask = async (name: string, args: object) => {
    receiver.answer(answer);
    const from = performance.now();
    const call = { type: 'tool-call', id: 'x', name, arguments: JSON.stringify(args) } as const;
    await runs.run(call, never());
    return performance.now() - from;
  };
  const bare = async () => {
    receiver.answer(answer);
    const from = performance.now();
    const headers = { 'content-type': 'application/json' };
    const sent = await request(receiver.url(), { method: 'POST', headers, body: '{"order":"A"}' });
    await sent.body.text();
    return performance.now() - from;
  };
  try {
    const { own, whole } = await compared(times, () => ask('look', { order: 'A' }), bare);
    const mcpTimes: number[] = [];
    for (let i = 0; i < times; i++) mcpTimes.push(await ask('find', {}));
    return { tool: whole, toolOwn: own, mcpTool: percentilesOf(mcpTimes) };
  } finally {
    runs.close();
    open?.close();
    await tools.close();
    await guard.close();
    mcp.close();
    receiver.close();
  }
}

/** Preparation of a conversation: history trimmed by tokens, instructions added. */
function context(times: number): { readonly context: Percentiles } {
  const took = Array.from({ length: times }, () => {
    const from = performance.now();
    messagesOf(REQUEST, 4_096);
    return performance.now() - from;
  });
  return { context: percentilesOf(took) };
}

type Measured = () => Promise<number>;

/**
 * Alternates both measurements, so that other load affects both; returns the differences of the
 * pairs.
 */
async function compared(times: number, ours: Measured, bare: Measured) {
  const own: number[] = [];
  const whole: number[] = [];
  for (let i = -WARM_UP; i < times; i++) {
    const [a, b] = i % 2 === 0 ? [await ours(), await bare()] : [await bare(), await ours()];
    const [mine, theirs] = i % 2 === 0 ? [a, b] : [b, a];
    if (i < 0) continue;
    whole.push(mine);
    own.push(mine - theirs);
  }
  return { own: percentilesOf(own), whole: percentilesOf(whole) };
}

function verdict(name: string, figure: number) {
  return { name, figure, bar: BAR_MS, isMet: figure <= BAR_MS };
}
