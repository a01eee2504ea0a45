import { ApiError } from '../errors.js';

/** What finds an account's agents: another account's do not exist for it. */
interface AgentFinder<T> {
  find(accountId: string, id: string): Promise<T | undefined>;
}

/** @throws ApiError AGENT_NOT_FOUND */
export async function requireAgent<T>(
  agents: AgentFinder<T>,
  accountId: string,
  id: string,
): Promise<T> {
  return (await agents.find(accountId, id)) ?? noSuchAgent(id);
}

export function noSuchAgent(id: string): never {
  throw new ApiError('AGENT_NOT_FOUND', `No agent has the id ${id}`);
}
