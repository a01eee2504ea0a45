import { createHash } from 'node:crypto';
import type { McpServerConfig } from '../../../../agents-runtime/contract/agent-config.js';
import { putNewest } from '../../../../media/async/bounded-map.js';
import type { ListedTool } from './mcp-session.js';

/** A list older than this is read again. */
const FRESH_MS = 5 * 60_000;
const MAX_LISTS = 500;

/** The tools of MCP servers as they were listed last, so that a call begins without asking. */
export class ToolListCache {
  readonly #lists = new Map<
    string,
    { readonly tools: readonly ListedTool[]; readonly at: number }
  >();

  /** What one agent sees of one server with these credentials. */
  static keyOf(agentId: string, { url, authentication }: McpServerConfig): string {
    const seen = JSON.stringify([agentId, url, authentication]);
    return createHash('sha256').update(seen).digest('base64');
  }

  /** @returns the list and whether it should be read again; undefined where there is none */
  get(key: string): { readonly tools: readonly ListedTool[]; readonly isOld: boolean } | undefined {
    const list = this.#lists.get(key);
    return list && { tools: list.tools, isOld: Date.now() - list.at > FRESH_MS };
  }

  set(key: string, tools: readonly ListedTool[]): void {
    putNewest(this.#lists, key, { tools, at: Date.now() }, MAX_LISTS);
  }
}
