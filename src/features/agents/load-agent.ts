import { notFound } from '../ownership/owned-resources.js';

/** What finds an account's agents: another account's do not exist for it. */
interface AgentFinder<T> {
  find(accountId: string, id: string): Promise<T | undefined>;
}

/** @throws ApiError AGENT_NOT_FOUND */
export async function loadAgent<T>(
  agents: AgentFinder<T>,
  accountId: string,
  id: string,
): Promise<T> {
  return (await agents.find(accountId, id)) ?? agentNotFound(id);
}

export function agentNotFound(id: string): never {
  notFound('agent', id);
}
