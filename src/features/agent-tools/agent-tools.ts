import type { Logger } from 'pino';
import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { Tools } from '../../../agents-runtime/contract/tools.js';
import { BUILTIN_TOOLS } from '../../../agents-runtime/reply/builtin-tools.js';
import type { EgressClient } from '../../platform/egress/egress-client.js';
import { toolLimitProblems } from '../agents/config/tool-limits.js';
import type { McpConnections } from './mcp/mcp-servers.js';
import { createToolSet } from './tool-set.js';
import type { ArgumentValidator } from './validation/argument-validator.js';
import { type ToolContext, webhookTool } from './webhook-tool.js';

export interface AgentToolsParts {
  /** Guarded, because the editor of an agent chooses the addresses of its tools. */
  readonly egress: EgressClient;
  readonly validator: ArgumentValidator;
  readonly mcp: McpConnections;
  readonly log: Logger;
}

/** The tools of one call. */
export interface CallTools {
  readonly tools: Tools;
  close(): void;
}

/** Creates the tools of each call from its agent's settings. */
export class AgentTools {
  readonly #parts: AgentToolsParts;

  constructor(parts: AgentToolsParts) {
    this.#parts = parts;
  }

  /** Lists the tools of the agent's MCP servers before its next call. */
  prefetch({ tools, mcpServers }: AgentConfig, agentId: string): void {
    if (tools.length > 0 || mcpServers.length > 0) this.#parts.validator.warm();
    this.#parts.mcp.prefetch(agentId, mcpServers);
  }

  /** Undefined for an agent without tools. */
  async open(config: AgentConfig, toolContext: ToolContext): Promise<CallTools | undefined> {
    if (config.tools.length === 0 && config.mcpServers.length === 0) return undefined;
    this.#parts.validator.warm();
    const usable = this.#usable(config, toolContext);
    const webhooks = usable.map((tool) => webhookTool(tool, toolContext, this.#parts));
    const taken = [...BUILTIN_TOOLS, ...usable.map(({ name }) => name)];
    const mcp = await this.#parts.mcp.open(toolContext, config.mcpServers, taken);
    return {
      tools: createToolSet(() => [...webhooks, ...mcp.tools()]),
      close: () => mcp.close(),
    };
  }

  close(): Promise<void> {
    return this.#parts.validator.close();
  }

  /** Skips tools over the limits: agents stored before the limits may have larger schemas. */
  #usable({ tools }: AgentConfig, { agentId }: ToolContext): AgentConfig['tools'] {
    const problems = toolLimitProblems(tools);
    for (const { index, problem } of problems) {
      const tool = tools[index]?.name;
      this.#parts.log.warn(
        { agent: agentId, tool, problem },
        'Skipped a tool of an agent, because it exceeds a limit',
      );
    }
    return tools.filter((_, i) => !problems.some(({ index }) => index === i));
  }
}
