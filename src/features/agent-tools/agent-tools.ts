import type { Logger } from 'pino';
import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { Tools } from '../../../agents-runtime/contract/tools.js';
import { BUILTIN_TOOLS } from '../../../agents-runtime/reply/builtin-tools.js';
import type { EgressClient } from '../../platform/egress/egress-client.js';
import { toolLimitProblems } from '../agents/config/tool-limits.js';
import type { McpConnections } from './mcp/mcp-servers.js';
import { callTools } from './tool-set.js';
import type { ArgumentValidator } from './validation/argument-validator.js';
import { type ToolCaller, webhookTool } from './webhook-tool.js';

export interface AgentToolsParts {
  /** Guarded: whoever edits an agent chooses where its tools are. */
  readonly outbound: EgressClient;
  readonly validator: ArgumentValidator;
  readonly mcp: McpConnections;
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

  constructor(parts: AgentToolsParts) {
    this.#parts = parts;
  }

  /** A call of this agent is about to come: its MCP servers are asked for what they have. */
  expect({ tools, mcpServers }: AgentConfig, agentId: string): void {
    if (tools.length > 0 || mcpServers.length > 0) this.#parts.validator.warm();
    this.#parts.mcp.expect(agentId, mcpServers);
  }

  /** Undefined for an agent without tools. */
  async open(config: AgentConfig, caller: ToolCaller): Promise<OpenTools | undefined> {
    if (config.tools.length === 0 && config.mcpServers.length === 0) return undefined;
    this.#parts.validator.warm();
    const usable = this.#usable(config, caller);
    const webhooks = usable.map((tool) => webhookTool(tool, caller, this.#parts));
    const taken = [...BUILTIN_TOOLS, ...usable.map(({ name }) => name)];
    const mcp = await this.#parts.mcp.open(caller, config.mcpServers, taken);
    return {
      tools: callTools(() => [...webhooks, ...mcp.tools()]),
      close: () => mcp.close(),
    };
  }

  close(): Promise<void> {
    return this.#parts.validator.close();
  }

  /** Agents that were saved before the limits may have larger schemas. */
  #usable({ tools }: AgentConfig, { agentId }: ToolCaller): AgentConfig['tools'] {
    const problems = toolLimitProblems(tools);
    for (const { index, problem } of problems) {
      const tool = tools[index]?.name;
      this.#parts.log.warn({ agent: agentId, tool, problem }, 'a tool of an agent is skipped');
    }
    return tools.filter((_, i) => !problems.some(({ index }) => index === i));
  }
}
