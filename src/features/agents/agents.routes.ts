import {
  type Route,
  type RouteContext,
  type RouteResponse,
  reply,
  route,
} from '../../platform/http/route.js';
import { int, model } from '../../platform/http/validation/schema-builders.js';
import type { Agent } from './agent.model.js';
import { AgentTemplate, agentTemplate, TemplateRequest } from './agent-templates.js';
import type { AgentModels } from './agents.ports.js';
import {
  entityTagOf,
  presentAgent,
  presentDeployedAgent,
  presentStatusCounts,
} from './agents.presenter.js';
import {
  AgentAlone,
  AgentAndMessage,
  AgentList,
  AgentPath,
  AgentResponse,
  CreateAgent,
  DeployedAgent,
  ListAgents,
  StatsSummary,
  UpdateAgent,
} from './agents.schema.js';
import type { AgentRef, AgentService } from './agents.service.js';

const AGENT_ROUTE = { scope: 'agents', tag: 'Agents' } as const;

const NO_SUCH_AGENT: RouteResponse = { description: 'No such agent' };
const NO_SUCH_AGENT_OR_KNOWLEDGE_BASE: RouteResponse = {
  description: 'No such agent or knowledge base',
};
const DISABLED: RouteResponse = { description: 'The agent is disabled' };
const ETAG = { ETag: "The agent's version, for If-Match" };
const AssignKnowledgeBase = model({ kb_id: int() });

export interface AgentRouteParts {
  readonly agents: AgentService;
  readonly models: AgentModels;
}

type AgentContext = Pick<
  RouteContext<unknown, unknown, { agent_id: string }>,
  'principal' | 'params' | 'ifMatch'
>;

/** `/agent`, without the routes about calls. */
export function agentRoutes(parts: AgentRouteParts): readonly Route[] {
  return [
    ...collectionRoutes(parts),
    ...oneAgentRoutes(parts),
    ...knowledgeBaseRoutes(parts),
    ...statusRoutes(parts),
  ];
}

function collectionRoutes({ agents, models }: AgentRouteParts): readonly Route[] {
  const present = (agent: Agent) => presentAgent(agent, models);
  return [
    route({
      ...AGENT_ROUTE,
      method: 'post',
      path: '/agent',
      summary: 'Create an agent',
      isIdempotent: true,
      body: CreateAgent,
      responses: {
        201: { description: 'The agent, paused', schema: AgentResponse, headers: ETAG },
        404: { description: 'No such knowledge base' },
        409: {
          description:
            'The number belongs to another account, or the first request with this Idempotency-Key is still running',
        },
      },
      async handle({ principal, body }) {
        const agent = await agents.create(principal.accountId, body);
        return reply(201, present(agent), etagHeader(agent));
      },
    }),
    route({
      ...AGENT_ROUTE,
      method: 'get',
      path: '/agent',
      summary: 'List agents',
      description:
        'Newest first. Without `page` and `limit`, the response is an array of all agents; with either, it is one page.',
      query: ListAgents,
      responses: { 200: { description: 'The agents', schema: AgentList } },
      async handle({ principal: { accountId }, query }) {
        if (query.page === undefined && query.limit === undefined) {
          return (await agents.listNewest(accountId, query.show_statuses)).map(present);
        }
        const { items, pagination } = await agents.listPage(accountId, query);
        return { items: items.map(present), pagination };
      },
    }),
    templateRoute(),
    route({
      ...AGENT_ROUTE,
      method: 'get',
      path: '/agent/stats-summary',
      summary: 'Count agents by status',
      responses: { 200: { description: 'The counts', schema: StatsSummary } },
      async handle({ principal }) {
        return presentStatusCounts(await agents.countByStatus(principal.accountId));
      },
    }),
  ];
}

function templateRoute(): Route {
  return route({
    ...AGENT_ROUTE,
    method: 'post',
    path: '/agent/init-agent',
    summary: 'Get a template for a new agent',
    description: 'Creates nothing. `name` and `config` are a body for `POST /agent`.',
    body: TemplateRequest,
    responses: { 200: { description: 'The template', schema: AgentTemplate } },
    handle: ({ body }) => agentTemplate(body),
  });
}

function oneAgentRoutes({ agents, models }: AgentRouteParts): readonly Route[] {
  const respond = (agent: Agent) => reply(200, presentAgent(agent, models), etagHeader(agent));
  const common = { ...AGENT_ROUTE, params: AgentPath };
  return [
    route({
      ...common,
      method: 'get',
      path: '/agent/{agent_id}',
      summary: 'Read an agent',
      responses: {
        200: { description: 'The agent', schema: AgentResponse, headers: ETAG },
        404: NO_SUCH_AGENT,
      },
      async handle({ principal, params }) {
        return respond(await agents.load(principal.accountId, params.agent_id));
      },
    }),
    route({
      ...common,
      method: 'put',
      isConditional: true,
      path: '/agent/{agent_id}',
      summary: 'Update an agent',
      body: UpdateAgent,
      responses: {
        200: { description: 'The agent', schema: AgentResponse, headers: ETAG },
        404: NO_SUCH_AGENT_OR_KNOWLEDGE_BASE,
        409: { description: 'The agent is disabled, or the number is in use' },
      },
      async handle(context) {
        return respond(await agents.update(refOf(context), context.body));
      },
    }),
  ];
}

function knowledgeBaseRoutes({ agents, models }: AgentRouteParts): readonly Route[] {
  const common = { ...AGENT_ROUTE, params: AgentPath, isConditional: true } as const;
  return [
    route({
      ...common,
      method: 'post',
      path: '/agent/{agent_id}/assign-knowledge-base',
      summary: 'Assign a knowledge base',
      body: AssignKnowledgeBase,
      responses: {
        200: { description: 'The agent', schema: AgentResponse, headers: ETAG },
        404: NO_SUCH_AGENT_OR_KNOWLEDGE_BASE,
        409: DISABLED,
      },
      async handle(context) {
        const agent = await agents.assignKnowledgeBase(refOf(context), context.body.kb_id);
        return reply(200, presentAgent(agent, models), etagHeader(agent));
      },
    }),
    route({
      ...common,
      method: 'delete',
      path: '/agent/{agent_id}/knowledge-base',
      summary: 'Remove the knowledge base',
      responses: {
        204: { description: 'The agent has no knowledge base' },
        404: NO_SUCH_AGENT,
        409: DISABLED,
      },
      async handle(context) {
        await agents.assignKnowledgeBase(refOf(context), null);
        return reply(204);
      },
    }),
  ];
}

function statusRoutes({ agents, models }: AgentRouteParts): readonly Route[] {
  const common = {
    ...AGENT_ROUTE,
    method: 'post',
    params: AgentPath,
    isConditional: true,
  } as const;
  return [
    route({
      ...common,
      path: '/agent/{agent_id}/deploy',
      summary: 'Deploy an agent',
      responses: {
        200: { description: 'The agent, deployed', schema: DeployedAgent, headers: ETAG },
        404: NO_SUCH_AGENT,
        409: {
          description:
            'The agent is disabled, the number is in use or not owned, or the language is not available',
        },
      },
      async handle(context) {
        const { agent, sip } = await agents.deploy(refOf(context));
        return reply(200, presentDeployedAgent(agent, sip, models), etagHeader(agent));
      },
    }),
    route({
      ...common,
      path: '/agent/{agent_id}/pause',
      summary: 'Pause an agent',
      responses: {
        200: { description: 'The agent, paused', schema: AgentAlone, headers: ETAG },
        404: NO_SUCH_AGENT,
        409: DISABLED,
      },
      async handle(context) {
        const agent = await agents.pause(refOf(context));
        return reply(200, { agent: presentAgent(agent, models) }, etagHeader(agent));
      },
    }),
    route({
      ...common,
      path: '/agent/{agent_id}/disable',
      summary: 'Delete (disable) an agent',
      responses: {
        200: { description: 'The agent, disabled', schema: AgentAndMessage, headers: ETAG },
        404: NO_SUCH_AGENT,
        409: { description: 'The agent is not paused' },
      },
      async handle(context) {
        const agent = await agents.disable(refOf(context));
        const message = 'The agent is disabled, which is final';
        return reply(200, { agent: presentAgent(agent, models), message }, etagHeader(agent));
      },
    }),
  ];
}

function etagHeader(agent: Agent): Readonly<Record<string, string>> {
  return { ETag: entityTagOf(agent) };
}

function refOf({ principal, params, ifMatch }: AgentContext): AgentRef {
  return { accountId: principal.accountId, id: params.agent_id, ifMatch };
}
