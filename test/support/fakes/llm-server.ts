import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Built-in behaviours, selected by the model name of a request. */
export const MODEL_BEHAVIOURS = [
  'good',
  'failing',
  'hanging',
  'stalling',
  'empty',
  'endless',
  'breaking',
  'babbling',
  'emoji',
  'calling',
] as const;
export type ModelBehaviour = (typeof MODEL_BEHAVIOURS)[number];

export interface ChatRequest {
  readonly model: string;
  readonly temperature?: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** What a scripted model returns: text and tool calls. */
export interface ScriptedAnswer {
  readonly say?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
}

export type Script = (chatRequest: ChatRequest) => ScriptedAnswer;

/**
 * An OpenAI-compatible chat server on loopback. It streams server-sent events and offers models
 * that answer correctly or fail in one way each.
 */
export class LlmServer {
  readonly requests: ChatRequest[] = [];
  readonly #server: Server;
  readonly #scripts: Readonly<Record<string, Script>>;
  #open = 0;

  private constructor(scripts: Readonly<Record<string, Script>>) {
    this.#scripts = scripts;
    this.#server = createServer((request, response) => {
      this.#open++;
      response.on('close', () => this.#open--);
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /** @param scripts further models, by name, in addition to the built-in behaviours. */
  static async start(scripts: Readonly<Record<string, Script>> = {}): Promise<LlmServer> {
    const server = new LlmServer(scripts);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Root URL of the API. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Requests without a complete response. */
  get openRequests(): number {
    return this.#open;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += part;
    const chatRequest = JSON.parse(body) as ChatRequest;
    this.requests.push(chatRequest);
    const behaviour = chatRequest.model as ModelBehaviour;
    if (behaviour === 'hanging') return;
    if (behaviour === 'failing') {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"out of memory","type":"server_error"}}');
      return;
    }
    if (behaviour === 'babbling') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>The proxy says hello</html>');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'keep-alive' });
    const send = (delta: object, reason: string | null = null) =>
      response.write(`data: ${JSON.stringify(chunk(behaviour, delta, reason))}\n\n`);
    send({ role: 'assistant', content: '' });
    const script = this.#scripts[behaviour];
    if (script) sendAnswer(script(chatRequest), send);
    await this.#stream(behaviour, chatRequest, response, send);
  }

  async #stream(
    behaviour: ModelBehaviour,
    { messages }: ChatRequest,
    response: ServerResponse,
    send: (delta: object, reason?: string) => void,
  ): Promise<void> {
    if (behaviour === 'stalling') return;
    while (behaviour === 'endless' && !response.destroyed) {
      send({ content: 'and so on ' });
      await sleep(5);
    }
    if (behaviour === 'breaking') {
      for (const word of ['The ', 'shop ', 'opens ', 'at ', 'eight. ', 'It ', 'closes ']) {
        send({ content: word });
      }
      await sleep(300);
      response.destroy();
      return;
    }
    if (behaviour === 'emoji') send({ content: '👍' });
    if (behaviour === 'calling') {
      const part = (index: number, call: object) => send({ tool_calls: [{ index, ...call }] });
      send({ content: 'Let me look.' });
      part(0, { id: 'a1', type: 'function', function: { name: 'look', arguments: '' } });
      part(0, { function: { arguments: '{"day":' } });
      part(1, { id: 'b2', type: 'function', function: { name: 'note', arguments: '{}' } });
      part(0, { function: { arguments: '"Monday"}' } });
    }
    if (behaviour === 'good') {
      for (const word of `You said ${messages.at(-1)?.content}`.match(/\S+\s*/g) ?? []) {
        send({ content: word });
      }
    }
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  }
}

function sendAnswer({ say = '', calls = [] }: ScriptedAnswer, send: (delta: object) => void): void {
  for (const word of say.match(/\S+\s*/g) ?? []) send({ content: word });
  for (const [index, { name, args }] of calls.entries()) {
    const called = { name, arguments: JSON.stringify(args) };
    send({ tool_calls: [{ index, id: `call-${index}`, type: 'function', function: called }] });
  }
}

function chunk(model: string, delta: object, reason: string | null) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, delta, finish_reason: reason }],
  };
}
