import type { Logger } from 'pino';
import type { AgentConfig } from '../../agents-runtime/agent/agent-config.js';
import { FLOOR_TOOLS, type Tools } from '../../agents-runtime/agent/tools.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import { ArgumentChecks } from './argument-checks.js';
import { callTools } from './call-tools.js';
import { McpServers } from './mcp/mcp-servers.js';
import { type ToolCaller, webhookTool } from './webhook-tools.js';

export interface AgentToolsParts {
  /** Guarded: whoever edits an agent chooses where its tools are. */
  readonly outbound: OutboundClient;
  readonly log: Logger;
}

/** The tools of one call. */
export interface OpenTools {
  readonly tools: Tools;
  close(): void;
}

/** Makes the tools of each call from its agent's settings. */
export class AgentTools {
  readonly #parts: AgentToolsParts;
  readonly #checks = new ArgumentChecks();
  readonly #mcp: McpServers;

  constructor(parts: AgentToolsParts) {
    this.#parts = parts;
    this.#mcp = new McpServers({ ...parts, checks: this.#checks });
  }

  /** A call of this agent is about to come: its MCP servers are asked for what they have. */
  expect({ mcpServers }: AgentConfig, agentId: string): void {
    this.#mcp.expect(agentId, mcpServers);
  }

  /** Undefined for an agent without tools. */
  async open(config: AgentConfig, caller: ToolCaller): Promise<OpenTools | undefined> {
    if (config.tools.length === 0 && config.mcpServers.length === 0) return undefined;
    const parts = { ...this.#parts, checks: this.#checks };
    const webhooks = config.tools.map((tool) => webhookTool(tool, caller, parts));
    const taken = [...FLOOR_TOOLS, ...config.tools.map(({ name }) => name)];
    const mcp = await this.#mcp.open(caller.agentId, config.mcpServers, taken);
    return {
      tools: callTools(() => [...webhooks, ...mcp.tools()]),
      close: () => mcp.close(),
    };
  }
}
