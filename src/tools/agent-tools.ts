import type { Logger } from 'pino';
import type { AgentConfig } from '../../agents-runtime/agent/agent-config.js';
import type { Tools } from '../../agents-runtime/agent/tools.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import { ArgumentChecks } from './argument-checks.js';
import { callTools } from './call-tools.js';
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

  constructor(parts: AgentToolsParts) {
    this.#parts = parts;
  }

  /** Undefined for an agent without tools. */
  async open(config: AgentConfig, caller: ToolCaller): Promise<OpenTools | undefined> {
    if (config.tools.length === 0) return undefined;
    const parts = { ...this.#parts, checks: this.#checks };
    const tools = config.tools.map((tool) => webhookTool(tool, caller, parts));
    return { tools: callTools(() => tools), close: () => undefined };
  }
}
