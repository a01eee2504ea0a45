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

/** Time limit of the handshake, and of each page of the list. */
const RESPONSE_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 6_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** Maximum number of pages of a list, which bounds an endless cursor. */
const MAX_PAGES = 10;
/** Per server. */
const MAX_TOOLS = 100;
/** Minimum time between reads of a changing list. */
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
  readonly egress: Pick<EgressClient, 'fetch'>;
  /** Called with the new list after the server reported a change. */
  readonly onListed: (tools: readonly ListedTool[]) => void;
  /** Called with the tools of a list that are over a limit. */
  readonly onSkipped: (skipped: readonly SkippedTool[]) => void;
  readonly onFault: (error: unknown) => void;
}

/** An open connection to a server. */
interface Connection {
  readonly client: Client;
  readonly transport: Transport;
}

/**
 * The session of one MCP server in one call. Connects on demand and reconnects after a failure. Calls
 * do not share sessions, as a server may store state in them.
 */
export class McpSession {
  readonly #options: McpSessionOptions;
  #connecting: Promise<Connection> | undefined;
  #relisting: NodeJS.Timeout | undefined;
  #lastRelist = 0;
  /** Answers over the size limit. */
  #truncatedAnswers = 0;
  #isClosed = false;

  constructor(options: McpSessionOptions) {
    this.#options = options;
  }

  /** Lists the server's tools. Connects if necessary. */
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

  /** Calls a tool. Retries once in a new session if the server had lost the session. */
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
      // A restarted server may have other tools.
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
    if (this.#isClosed) return Promise.reject(new Error('The call has ended'));
    if (this.#connecting) return this.#connecting;
    const connecting: Promise<Connection> = this.#connect(() => this.#onConnectionLost(connecting));
    this.#connecting = connecting;
    // The next request connects again.
    connecting.catch(() => this.#forget(connecting));
    return connecting;
  }

  async #connect(onGone: () => void): Promise<Connection> {
    const { server, egress, onFault } = this.#options;
    const client = new Client(
      { name: 'parley', version: '1' },
      // Results are not validated: schemas of servers are not compiled on this thread.
      { jsonSchemaValidator: { getValidator: () => accept } },
    );
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#relistSoon());
    const onTooLong = () => {
      this.#truncatedAnswers++;
      onGone();
    };
    const transport = transportTo(server, mcpFetch(egress.fetch, onTooLong));
    try {
      // The client's timeout covers the handshake, but not the opening of the stream.
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
      // A reconnected SSE stream would be a session without handshake.
      if (server.transport === 'sse') onGone();
    };
    if (this.#isClosed) await end(connection);
    return connection;
  }

  /** Reads the list again, as changes during the outage were not reported. */
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

  /** Delay of the next read, ms: 0 the first time, then limited by MIN_RELIST_INTERVAL_MS. */
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
    // Otherwise the server ends the session by its own timeout.
    await withTimeout(transport.terminateSession(), CLOSE_TIMEOUT_MS).catch(() => undefined);
  }
  await client.close().catch(() => undefined);
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The MCP server did not respond in time')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the server certainly did not execute the request, as it does not know the session. */
function wasNotExecuted(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return [400, 404, 410].includes(error.code ?? 0);
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ECONNREFUSED' || /\(HTTP (400|404|410)\)|Not connected/.test(error.message);
}
