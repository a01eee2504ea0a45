import { randomBytes } from 'node:crypto';
import type { StoredConfig } from './config/stored-config.js';

export const AGENT_STATUSES = ['deployed', 'paused', 'disabled'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

/** The number of each status in responses. */
export const STATUS_CODES: Readonly<Record<AgentStatus, number>> = {
  deployed: 10,
  paused: 1,
  disabled: 0,
};

/** A stored agent. The secrets in its config are encrypted. */
export interface Agent {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly config: StoredConfig;
  readonly kbId: number | null;
  readonly status: AgentStatus;
  /** Increases with every change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewAgent = Pick<Agent, 'id' | 'accountId' | 'name' | 'config' | 'kbId' | 'status'>;
export type AgentChange = Partial<Pick<Agent, 'name' | 'config' | 'kbId' | 'status'>>;

/**
 * A UUID that sorts by its time, so that the order "newest first, ties by id" is the order of creation.
 * Source: RFC 9562, version 7.
 */
export function makeAgentId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20)].join('-');
}
