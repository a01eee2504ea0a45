import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { McpServerConfig } from '../../../../agents-runtime/contract/agent-config.js';
import type { EgressClient } from '../../../platform/egress/egress-client.js';
import { MAX_TOOLS_BYTES } from '../../agents/config/tool-limits.js';
import type { CallTool } from '../tool-set.js';
import type { ArgumentValidator } from '../validation/argument-validator.js';
import type { ToolContext } from '../webhook-tool.js';
import { fairShares } from './fair-share.js';
import { type ListedTool, McpSession, type SkippedTool } from './mcp-session.js';
import { mcpTool } from './mcp-tool.js';
import { ToolListCache } from './tool-list-cache.js';
import { mcpToolNames, toModelName } from './tool-names.js';

/** Time for tool lists before a call begins. Tools of later lists are added when the list arrives. */
const START_TIMEOUT_MS = 2_000;
/** Limit for all servers together. Models refuse more. */
const MAX_TOOLS = 100;
/** Names of skipped tools per log line. */
const MAX_LOGGED_TOOLS = 5;

export interface McpConnectionsParts {
  readonly egress: Pick<EgressClient, 'fetch'>;
  readonly validator: ArgumentValidator;
  readonly log: Logger;
  readonly startTimeoutMs?: number;
}

interface ServerConnection {
  readonly server: McpServerConfig;
  readonly session: McpSession;
  readonly onFault: (error: unknown) => void;
  tools: readonly ListedTool[];
}

/** The tools of a call's MCP servers. */
export interface OpenMcpConnections {
  /** The tools that are known now. The same array until they change. */
  tools(): readonly CallTool[];
  close(): void;
}

/** The MCP servers of all agents. Tool lists are cached; every call has its own sessions. */
export class McpConnections {
  readonly #parts: McpConnectionsParts;
  readonly #lists = new ToolListCache();

  constructor(parts: McpConnectionsParts) {
    this.#parts = parts;
  }

  /** Reads unknown and outdated tool lists before a call of the agent. */
  prefetch(agentId: string, servers: readonly McpServerConfig[]): void {
    for (const server of servers) {
      const known = this.#lists.get(ToolListCache.keyOf(agentId, server));
      if (known && !known.isOld) continue;
      const line = this.#connect(agentId, server, () => undefined);
      void this.#list(agentId, line).then(() => line.session.close());
    }
  }

  /** @param taken names of the call's other tools */
  async open(
    toolContext: ToolContext,
    servers: readonly McpServerConfig[],
    taken: readonly string[],
  ): Promise<OpenMcpConnections> {
    const { agentId } = toolContext;
    let named: readonly CallTool[] | undefined;
    const onChange = () => {
      named = undefined;
    };
    const lines = servers.map((server) => this.#connect(agentId, server, onChange));
    const listings = lines.map((line) => {
      const known = this.#lists.get(ToolListCache.keyOf(agentId, line.server));
      if (known) line.tools = known.tools;
      // A server with a cached list connects too, so that its first tool call does not wait.
      const listing = this.#list(agentId, line, onChange);
      return known ? undefined : listing;
    });
    await Promise.race([
      Promise.all(listings),
      sleep(this.#parts.startTimeoutMs ?? START_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    for (const { server } of lines) this.#storeEmptyList(ToolListCache.keyOf(agentId, server));
    return {
      tools: () => {
        named ??= this.#toCallTools(toolContext, lines, taken);
        return named;
      },
      close: () => {
        for (const { session } of lines) void session.close();
      },
    };
  }

  #connect(agentId: string, server: McpServerConfig, onChange: () => void): ServerConnection {
    const { egress } = this.#parts;
    const onFault = (error: unknown) => this.#logFault(agentId, error);
    const line: ServerConnection = {
      server,
      onFault,
      tools: [],
      session: new McpSession({
        server,
        egress,
        onListed: (tools) => {
          this.#lists.set(ToolListCache.keyOf(agentId, server), tools);
          line.tools = tools;
          onChange();
        },
        onSkipped: (skipped) => this.#logSkipped(agentId, server.name, skipped),
        onFault,
      }),
    };
    return line;
  }

  /** Reads a server's list; never rejects. */
  async #list(
    agentId: string,
    line: ServerConnection,
    onChange: () => void = () => undefined,
  ): Promise<void> {
    try {
      line.tools = await line.session.list();
      this.#lists.set(ToolListCache.keyOf(agentId, line.server), line.tools);
      onChange();
    } catch (error) {
      this.#storeEmptyList(ToolListCache.keyOf(agentId, line.server));
      this.#logFault(agentId, error);
    }
  }

  /** Stores an empty list, so that the next call does not wait for an unavailable server. */
  #storeEmptyList(key: string): void {
    if (!this.#lists.get(key)) this.#lists.set(key, []);
  }

  /** Logs no error message, as it may be the server's text. */
  #logFault(agentId: string, error: unknown): void {
    const { name = '', code = undefined } = error as { name?: string; code?: unknown };
    this.#parts.log.warn(
      { agent: agentId, fault: name, code },
      'Error in the connection to an MCP server',
    );
  }

  #toCallTools(
    toolContext: ToolContext,
    lines: readonly ServerConnection[],
    taken: readonly string[],
  ): readonly CallTool[] {
    const { validator, log } = this.#parts;
    const { agentId } = toolContext;
    const shares = fairShares(
      lines.map(({ tools }) => tools.length),
      MAX_TOOLS,
    );
    const all = withinBytes(
      lines.flatMap((line, i) => line.tools.slice(0, shares[i]).map((tool) => ({ ...line, tool }))),
    );
    const leftOut = lines.reduce((sum, { tools }) => sum + tools.length, 0) - all.length;
    if (leftOut > 0)
      log.warn(
        { agent: agentId, leftOut },
        'Skipped MCP tools, because there are too many or their schemas are too large',
      );
    const names = mcpToolNames(
      all.map(({ server, tool }) => ({ server: server.name, name: tool.name })),
      taken,
    );
    return all.flatMap(({ tool, session, onFault }, i) => {
      const name = names[i];
      return name === undefined
        ? []
        : [mcpTool(tool, name, { session, toolContext, validator, onFault })];
    });
  }

  /** Logs sanitised names, as they are the server's texts. */
  #logSkipped(agentId: string, server: string, skipped: readonly SkippedTool[]): void {
    const tools = skipped.slice(0, MAX_LOGGED_TOOLS).map(({ name, problem }) => ({
      name: toModelName(name),
      problem,
    }));
    const line = { agent: agentId, server, skipped: skipped.length, tools };
    this.#parts.log.warn(
      line,
      'Skipped tools of an MCP server, because their schemas exceed a limit',
    );
  }
}

/** The first tools whose schemas together are within the size limit. */
function withinBytes<Entry extends { readonly tool: ListedTool }>(
  entries: readonly Entry[],
): readonly Entry[] {
  let bytes = 0;
  return entries.filter(({ tool }) => {
    if (bytes + tool.schemaBytes > MAX_TOOLS_BYTES) return false;
    bytes += tool.schemaBytes;
    return true;
  });
}
