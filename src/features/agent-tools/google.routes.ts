import { ApiError } from '../../platform/http/api-error.js';
import { type Route, type RouteResponse, route } from '../../platform/http/route.js';
import type { Agent } from '../agents/agent.model.js';
import { AgentPath } from '../agents/agents.schema.js';
import { loadAgent } from '../agents/load-agent.js';
import { presentNotLinked } from './google.presenter.js';
import { GoogleDisconnected, GoogleStatus, LinkingStarted, StartLinking } from './google.schema.js';

const COMMON = { scope: 'agents', tag: 'Google', params: AgentPath } as const;
const NO_SUCH_AGENT: RouteResponse = { description: 'No such agent' };

/** The port of agents. */
export interface AgentDirectory {
  find(accountId: string, id: string): Promise<Agent | undefined>;
}

/** `/google`: the Google account of an agent's tools. Linking is not supported yet. */
export function googleRoutes(agents: AgentDirectory): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'post',
      path: '/google/{agent_id}/oauth/start',
      summary: 'Start linking a Google account',
      body: StartLinking,
      responses: {
        200: { description: 'The URL for the browser', schema: LinkingStarted },
        404: NO_SUCH_AGENT,
        409: { description: 'NOT_CONFIGURED: the response names the missing settings' },
        502: { description: 'Google does not respond' },
      },
      async handle({ principal, params }) {
        await loadAgent(agents, principal.accountId, params.agent_id);
        throw new ApiError(
          'NOT_CONFIGURED',
          'Google accounts cannot be linked: GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET are missing',
          { detail: 'This version of Parley does not support linked Google accounts' },
        );
      },
    }),
    route({
      ...COMMON,
      method: 'get',
      path: '/google/{agent_id}/status',
      summary: 'Get the linked Google account',
      responses: { 200: { description: 'The link', schema: GoogleStatus }, 404: NO_SUCH_AGENT },
      async handle({ principal, params }) {
        return presentNotLinked(await loadAgent(agents, principal.accountId, params.agent_id));
      },
    }),
    route({
      ...COMMON,
      method: 'delete',
      path: '/google/{agent_id}/disconnect',
      summary: 'Disconnect the linked Google account',
      responses: {
        200: { description: 'Whether an account was linked', schema: GoogleDisconnected },
        404: NO_SUCH_AGENT,
      },
      async handle({ principal, params }) {
        const { id } = await loadAgent(agents, principal.accountId, params.agent_id);
        return { disconnected: false, agent_id: id };
      },
    }),
  ];
}
