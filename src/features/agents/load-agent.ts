import { throwNotFound } from '../ownership/throw-not-found.js';

/** Finds agents of one account. */
interface AgentFinder<T> {
  find(accountId: string, id: string): Promise<T | undefined>;
}

/** @throws ApiError AGENT_NOT_FOUND */
export async function loadAgent<T>(
  agents: AgentFinder<T>,
  accountId: string,
  id: string,
): Promise<T> {
  return (await agents.find(accountId, id)) ?? throwNotFound('agent', id);
}
