import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** Makes what a tool brings. */
export type Bring = () => CallToolResult | Promise<CallToolResult>;

/** An MCP server on the loopback, made with the SDK's own server side, that can misbehave. */
export class TestMcpServer {
  /** By their names. */
  readonly tools = new Map<string, Bring>();
  readonly headers: IncomingHttpHeaders[] = [];
  /** Sessions that their clients have ended. */
  endedSessions = 0;
  /** The tools as a list has them, in place of the SDK's own. */
  listed: readonly object[] | undefined;
  /** Answers a request in place of the server. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  readonly #sessions = new Map<
    string,
    { server: McpServer; wire: StreamableHTTPServerTransport }
  >();
  readonly #http = createServer((request, response) => void this.#receive(request, response));

  static async open(tools: Readonly<Record<string, Bring>> = {}): Promise<TestMcpServer> {
    const server = new TestMcpServer();
    for (const [name, bring] of Object.entries(tools)) server.tools.set(name, bring);
    server.#http.listen(0, '127.0.0.1');
    await once(server.#http, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  get openSessions(): number {
    return this.#sessions.size;
  }

  /** Forgets all sessions, as a server that was started again. */
  forget(): void {
    this.#sessions.clear();
  }

  /** Adds a tool while sessions run, and tells them. */
  add(name: string, bring: Bring): void {
    this.tools.set(name, bring);
    for (const { server } of this.#sessions.values()) register(server, name, bring);
  }

  /** Says so many times that its list is another one. */
  flood(times: number): void {
    for (const { server } of this.#sessions.values()) {
      for (let i = 0; i < times; i++) server.sendToolListChanged();
    }
  }

  close(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers);
    if (this.instead?.(request, response)) return;
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (id && !known) {
      response.writeHead(404).end('No such session');
      return;
    }
    const wire = known?.wire ?? (await this.#newSession());
    await wire.handleRequest(request, response);
  }

  async #newSession(): Promise<StreamableHTTPServerTransport> {
    const server = new McpServer({ name: 'test', version: '1' });
    for (const [name, bring] of this.tools) register(server, name, bring);
    const wire = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, { server, wire }),
      onsessionclosed: (id) => {
        this.endedSessions++;
        this.#sessions.delete(id);
      },
    });
    const { listed } = this;
    if (listed) {
      server.server.registerCapabilities({ tools: {} });
      server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }) as never);
    }
    await server.connect(wire as Transport);
    return wire;
  }
}

function register(server: McpServer, name: string, bring: Bring): void {
  server.registerTool(name, { description: `Brings ${name}.` }, async () => bring());
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
