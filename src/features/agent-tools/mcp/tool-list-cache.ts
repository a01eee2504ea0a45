import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { McpServerConfig } from '../../../../agents-runtime/contract/agent-config.js';
import type { ListedTool } from './mcp-session.js';

/** An older list is read again. */
const FRESH_MS = 5 * 60_000;
const MAX_LISTS = 500;

/** The latest tool lists of MCP servers, so that a call starts without requests to them. */
export class ToolListCache {
  readonly #lists = new LRUCache<
    string,
    { readonly tools: readonly ListedTool[]; readonly at: number }
  >({ max: MAX_LISTS });

  /** Identifies the list of one server for one agent and its credentials. */
  static keyOf(agentId: string, { url, authentication }: McpServerConfig): string {
    const seen = JSON.stringify([agentId, url, authentication]);
    return createHash('sha256').update(seen).digest('base64');
  }

  /** @returns the list and whether it should be read again; undefined if none is cached */
  get(key: string): { readonly tools: readonly ListedTool[]; readonly isOld: boolean } | undefined {
    const list = this.#lists.get(key);
    return list && { tools: list.tools, isOld: Date.now() - list.at > FRESH_MS };
  }

  set(key: string, tools: readonly ListedTool[]): void {
    this.#lists.set(key, { tools, at: Date.now() });
  }
}
