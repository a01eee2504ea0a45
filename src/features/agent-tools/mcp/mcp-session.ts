import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  ListToolsResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../../../../agents-runtime/contract/agent-config.js';
import type { EgressClient } from '../../../platform/egress/egress-client.js';
import { jsonBytes, schemaLimitProblem } from '../../agents/config/tool-limits.js';
import { authHeaders } from '../auth-headers.js';
import { answerTooLong, mcpFetch } from './mcp-fetch.js';

/** For the handshake, and for each page of the list. */
const RESPONSE_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 6_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** Pages of a list that are read; a cursor may lead nowhere. */
const MAX_PAGES = 10;
/** Tools of one server. */
const MAX_TOOLS = 100;
/** A list that changes all the time is read so often. */
const MIN_RELIST_INTERVAL_MS = 5_000;

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Of `inputSchema` as JSON. */
  readonly schemaBytes: number;
}

/** A tool whose schema is over a limit. */
export interface SkippedTool {
  readonly name: string;
  readonly problem: string;
}

export interface McpSessionOptions {
  readonly server: McpServerConfig;
  readonly outbound: Pick<EgressClient, 'fetch'>;
  /** Told when the server says that its list is another one. */
  readonly onListed: (tools: readonly ListedTool[]) => void;
  /** Called with the tools that a list was read without. */
  readonly onSkipped: (skipped: readonly SkippedTool[]) => void;
  readonly onFault: (error: unknown) => void;
}

/** What is open between us and a server. */
interface Connection {
  readonly client: Client;
  readonly transport: Transport;
}

/**
 * One MCP server in one call: it connects when it is needed, and again after it broke. A server keeps
 * what it likes of a session, so no two calls share one.
 */
export class McpSession {
  readonly #options: McpSessionOptions;
  #connecting: Promise<Connection> | undefined;
  #relisting: NodeJS.Timeout | undefined;
  #lastRelist = 0;
  /** Answers that had no end. */
  #truncatedAnswers = 0;
  #isClosed = false;

  constructor(options: McpSessionOptions) {
    this.#options = options;
  }

  /** The server's tools, connecting first where that is needed. */
  async list(): Promise<readonly ListedTool[]> {
    const { client } = await this.#connected();
    const tools: ListedTool[] = [];
    const skipped: SkippedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && tools.length + skipped.length < MAX_TOOLS; page++) {
      const listed = await client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        ListToolsResultSchema,
        { timeout: RESPONSE_TIMEOUT_MS },
      );
      for (const { name, description = '', inputSchema } of listed.tools) {
        const problem = schemaLimitProblem(inputSchema);
        if (problem !== undefined) skipped.push({ name, problem });
        else tools.push({ name, description, inputSchema, schemaBytes: jsonBytes(inputSchema) });
      }
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    if (skipped.length > 0) this.#options.onSkipped(skipped);
    return tools.slice(0, MAX_TOOLS);
  }

  /** One that was not carried out, because the session is gone, is tried once more in a new one. */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<CallToolResult> {
    const ask = async () => {
      const { client } = await this.#connected();
      return client.request(
        { method: 'tools/call', params: { name, arguments: args } },
        CallToolResultSchema,
        { signal, timeout: timeoutMs },
      );
    };
    const cutBefore = this.#truncatedAnswers;
    try {
      return await ask();
    } catch (error) {
      if (this.#truncatedAnswers > cutBefore) throw answerTooLong();
      if (signal.aborted || !wasNotExecuted(error)) throw error;
      await this.#disconnect();
      // One that was started again may have other tools.
      this.#relistSoon();
      return ask();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#relisting);
    await this.#disconnect();
  }

  #connected(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(new Error('The call is over'));
    if (this.#connecting) return this.#connecting;
    const connecting: Promise<Connection> = this.#connect(() => this.#onConnectionLost(connecting));
    this.#connecting = connecting;
    // The next one tries again.
    connecting.catch(() => this.#forget(connecting));
    return connecting;
  }

  async #connect(onGone: () => void): Promise<Connection> {
    const { server, outbound, onFault } = this.#options;
    const client = new Client(
      { name: 'parley', version: '1' },
      // What tools bring is data in any form: schemas of other people are not compiled for it.
      { jsonSchemaValidator: { getValidator: () => accept } },
    );
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#relistSoon());
    const onTooMuch = () => {
      this.#truncatedAnswers++;
      onGone();
    };
    const transport = transportTo(server, mcpFetch(outbound.fetch, onTooMuch));
    try {
      // The client's own limit is for the greeting, and not for the stream before it.
      await withTimeout(
        client.connect(transport, { timeout: RESPONSE_TIMEOUT_MS }),
        CONNECT_TIMEOUT_MS,
      );
    } catch (error) {
      await client.close();
      throw error;
    }
    const connection = { client, transport };
    client.onclose = onGone;
    client.onerror = (error) => {
      onFault(error);
      // Its stream would come back as a session that nobody has greeted.
      if (server.transport === 'sse') onGone();
    };
    if (this.#isClosed) await end(connection);
    return connection;
  }

  /** A connection broke: what its server tells of its list meanwhile is not heard, so it is read again. */
  #onConnectionLost(connecting: Promise<Connection>): void {
    if (this.#connecting !== connecting) return;
    this.#forget(connecting);
    this.#relistSoon();
  }

  #forget(connecting: Promise<Connection> | undefined): void {
    if (this.#connecting !== connecting) return;
    this.#connecting = undefined;
    connecting?.then(end, () => undefined);
  }

  async #disconnect(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    await connecting?.then(end, () => undefined);
  }

  #relistSoon(): void {
    if (this.#isClosed || this.#relisting) return;
    const { onListed, onFault } = this.#options;
    this.#relisting = setTimeout(() => {
      this.#relisting = undefined;
      this.list().then(onListed, onFault);
    }, this.#relistedAt());
  }

  /** At once the first time; then so seldom that a flood of notices changes nothing. */
  #relistedAt(): number {
    const now = Date.now();
    const at = Math.max(now, this.#lastRelist + MIN_RELIST_INTERVAL_MS);
    this.#lastRelist = at;
    return at - now;
  }
}

const accept = (input: unknown) =>
  ({ valid: true, data: input as never, errorMessage: undefined }) as const;

function transportTo(server: McpServerConfig, fetch: EgressClient['fetch']): Transport {
  const url = new URL(server.url);
  const options = { requestInit: { headers: authHeaders(server.authentication) }, fetch };
  return server.transport === 'sse'
    ? new SSEClientTransport(url, options)
    : (new StreamableHTTPClientTransport(url, options) as Transport);
}

async function end({ client, transport }: Connection): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport) {
    // A server that does not hear that it is over has a limit of its own.
    await withTimeout(transport.terminateSession(), CLOSE_TIMEOUT_MS).catch(() => undefined);
  }
  await client.close().catch(() => undefined);
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The server did not answer in time')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the server cannot have carried out what it was asked: it does not know the session. */
function wasNotExecuted(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return [400, 404, 410].includes(error.code ?? 0);
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ECONNREFUSED' || /\(HTTP (400|404|410)\)|Not connected/.test(error.message);
}
