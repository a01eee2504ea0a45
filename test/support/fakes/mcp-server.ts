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

/** Produces the result of a tool call. */
export type ProduceResult = () => CallToolResult | Promise<CallToolResult>;

/**
 * An MCP server on loopback, built with the SDK's server side, that can return invalid responses.
 */
export class TestMcpServer {
  /** By tool name. */
  readonly tools = new Map<string, ProduceResult>();
  readonly headers: IncomingHttpHeaders[] = [];
  /** Sessions that their clients deleted. */
  endedSessions = 0;
  /** Tool list returned instead of the SDK's list. */
  listedTools: readonly object[] | undefined;
  /** Handles a request instead of the server; returns whether it did. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  readonly #sessions = new Map<
    string,
    { server: McpServer; transport: StreamableHTTPServerTransport }
  >();
  readonly #http = createServer((request, response) => void this.#receive(request, response));

  static async open(tools: Readonly<Record<string, ProduceResult>> = {}): Promise<TestMcpServer> {
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

  /** Drops all sessions, as a restarted server does. */
  dropSessions(): void {
    this.#sessions.clear();
  }

  /** Adds a tool to running sessions and notifies their clients. */
  add(name: string, bring: ProduceResult): void {
    this.tools.set(name, bring);
    for (const { server } of this.#sessions.values()) register(server, name, bring);
  }

  /** Sends `times` notifications that the tool list changed. */
  notifyListChanged(times: number): void {
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
    if (this.intercept?.(request, response)) return;
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (id && !known) {
      response.writeHead(404).end('No such session');
      return;
    }
    const transport = known?.transport ?? (await this.#newSession());
    await transport.handleRequest(request, response);
  }

  async #newSession(): Promise<StreamableHTTPServerTransport> {
    const server = new McpServer({ name: 'test', version: '1' });
    for (const [name, bring] of this.tools) register(server, name, bring);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, { server, transport }),
      onsessionclosed: (id) => {
        this.endedSessions++;
        this.#sessions.delete(id);
      },
    });
    const { listedTools: listed } = this;
    if (listed) {
      server.server.registerCapabilities({ tools: {} });
      server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }) as never);
    }
    await server.connect(transport as Transport);
    return transport;
  }
}

function register(server: McpServer, name: string, bring: ProduceResult): void {
  server.registerTool(name, { description: `Brings ${name}.` }, async () => bring());
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
