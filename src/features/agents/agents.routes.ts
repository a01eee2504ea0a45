import {
  type Route,
  type RouteCall,
  type RouteResponse,
  reply,
  route,
} from '../../platform/http/route.js';
import { pageOf } from '../../platform/http/validation/pagination.js';
import { int, model } from '../../platform/http/validation/schema-builders.js';
import type { Agent, AgentStatus } from './agent.model.js';
import { InitAgent, InitialAgent, initialAgent } from './agent-templates.js';
import type { AgentModels, AgentProvisioner } from './agents.ports.js';
import { entityTagOf, toAgentBody } from './agents.presenter.js';
import type { AgentsRepository } from './agents.repository.js';
import {
  AgentAlone,
  AgentAndMessage,
  AgentBody,
  AgentList,
  AgentPath,
  CreateAgent,
  DeployedAgent,
  ListAgents,
  StatsSummary,
  UpdateAgent,
} from './agents.schema.js';
import type { AgentRef, AgentService } from './agents.service.js';

const COMMON = { scope: 'agents', tag: 'Agents' } as const;
const SHOWN_BY_DEFAULT: readonly AgentStatus[] = ['deployed', 'paused'];
/** The plain array has no pages: so many of the newest agents it holds at the most. */
const MAX_PLAIN_LIST = 1_000;

const NO_SUCH_AGENT: RouteResponse = { description: 'No such agent' };
const NOTHING_SUCH: RouteResponse = { description: 'No such agent or knowledge base' };
const DISABLED: RouteResponse = { description: 'The agent is disabled' };
/** Answers that hold an agent say which version of it. */
const TAGGED = { ETag: "The agent's version, for If-Match" };
const AssignKnowledgeBase = model({ kb_id: int() });

export interface AgentRouteParts {
  readonly agents: AgentService;
  readonly repository: AgentsRepository;
  readonly models: AgentModels;
  /** Provisions the numbers of agents in LiveKit's SIP service. */
  readonly provisioner?: AgentProvisioner | undefined;
}

type AgentCall = Pick<
  RouteCall<unknown, unknown, { agent_id: string }>,
  'principal' | 'params' | 'ifMatch'
>;

/** `/agent`: everything about agents but their calls. */
export function agentRoutes(parts: AgentRouteParts): readonly Route[] {
  return [
    ...collectionRoutes(parts),
    ...oneAgentRoutes(parts),
    ...knowledgeBaseRoutes(parts),
    ...moveRoutes(parts),
  ];
}

function collectionRoutes({ agents, repository, models }: AgentRouteParts): readonly Route[] {
  const toBody = (agent: Agent) => toAgentBody(agent, models);
  return [
    route({
      ...COMMON,
      method: 'post',
      path: '/agent',
      summary: 'Create an agent',
      isIdempotent: true,
      body: CreateAgent,
      responses: {
        201: { description: 'The agent, paused', schema: AgentBody, headers: TAGGED },
        404: { description: 'No such knowledge base' },
        409: {
          description: 'Its number belongs to another account, or the first request still runs',
        },
      },
      async handle({ principal, body }) {
        const agent = await agents.create(principal.accountId, body);
        return reply(201, toBody(agent), tagOf(agent));
      },
    }),
    route({
      ...COMMON,
      method: 'get',
      path: '/agent',
      summary: 'List agents',
      description:
        'The newest first. Without page and limit a plain array, with either one page of it.',
      query: ListAgents,
      responses: { 200: { description: 'The agents', schema: AgentList } },
      async handle({ principal: { accountId }, query }) {
        const statuses = query.show_statuses ?? SHOWN_BY_DEFAULT;
        if (query.page === undefined && query.limit === undefined) {
          const all = { offset: 0, limit: MAX_PLAIN_LIST };
          return (await repository.list(accountId, statuses, all)).map(toBody);
        }
        const counts = await repository.countByStatus(accountId);
        const total = [...new Set(statuses)].reduce((sum, status) => sum + counts[status], 0);
        const page = pageOf(query, total);
        const found = page.hasItems ? await repository.list(accountId, statuses, page) : [];
        return { items: found.map(toBody), pagination: page.pagination };
      },
    }),
    templateRoute(),
    route({
      ...COMMON,
      method: 'get',
      path: '/agent/stats-summary',
      summary: 'Count agents by status',
      responses: { 200: { description: 'The counts', schema: StatsSummary } },
      async handle({ principal }) {
        const counts = await repository.countByStatus(principal.accountId);
        return {
          total_agents: counts.deployed + counts.paused + counts.disabled,
          status_summary: counts,
        };
      },
    }),
  ];
}

function templateRoute(): Route {
  return route({
    ...COMMON,
    method: 'post',
    path: '/agent/init-agent',
    summary: 'Get a template to make an agent from',
    description: 'Makes nothing: name and config are a body for POST /agent, to be filled in.',
    body: InitAgent,
    responses: { 200: { description: 'The template', schema: InitialAgent } },
    handle: ({ body }) => initialAgent(body),
  });
}

function oneAgentRoutes({ agents, models, provisioner }: AgentRouteParts): readonly Route[] {
  const answer = (status: number, agent: Agent) =>
    reply(status, toAgentBody(agent, models), tagOf(agent));
  const common = { ...COMMON, params: AgentPath };
  return [
    route({
      ...common,
      method: 'get',
      path: '/agent/{agent_id}',
      summary: 'Read an agent',
      responses: {
        200: { description: 'The agent', schema: AgentBody, headers: TAGGED },
        404: NO_SUCH_AGENT,
      },
      async handle({ principal, params }) {
        return answer(200, await agents.find(principal.accountId, params.agent_id));
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
        200: { description: 'The agent', schema: AgentBody, headers: TAGGED },
        404: NOTHING_SUCH,
        409: { description: 'The agent is disabled, or its number is in use' },
      },
      async handle(call) {
        const agent = await agents.update(refOf(call), call.body);
        const isMoved = call.body.config?.phone_number !== undefined;
        if (isMoved && agent.status === 'deployed') await provisioner?.provisionAgent(agent);
        return answer(200, agent);
      },
    }),
  ];
}

function knowledgeBaseRoutes({ agents, models }: AgentRouteParts): readonly Route[] {
  const common = { ...COMMON, params: AgentPath, isConditional: true } as const;
  return [
    route({
      ...common,
      method: 'post',
      path: '/agent/{agent_id}/assign-knowledge-base',
      summary: 'Assign a knowledge base',
      body: AssignKnowledgeBase,
      responses: {
        200: { description: 'The agent', schema: AgentBody, headers: TAGGED },
        404: NOTHING_SUCH,
        409: DISABLED,
      },
      async handle(call) {
        const agent = await agents.assignKnowledgeBase(refOf(call), call.body.kb_id);
        return reply(200, toAgentBody(agent, models), tagOf(agent));
      },
    }),
    route({
      ...common,
      method: 'delete',
      path: '/agent/{agent_id}/knowledge-base',
      summary: 'Take the knowledge base away',
      responses: {
        204: { description: 'The agent has no knowledge base' },
        404: NO_SUCH_AGENT,
        409: DISABLED,
      },
      async handle(call) {
        await agents.assignKnowledgeBase(refOf(call), null);
        return reply(204);
      },
    }),
  ];
}

/** Names the model that answers where the agent has none, or one that is not listed. */
function deployedMessage({ config }: Agent, { llmModels, defaultLlmModel }: AgentModels): string {
  const message = 'The agent is deployed and takes calls';
  const own = config.llm_model;
  if (!own) {
    return `${message}. It has no llm_model: the default model, now ${defaultLlmModel}, answers, and another one does when the default changes`;
  }
  if (llmModels.some(({ id }) => id === own)) return message;
  return `${message}, but no language server has its model ${own} now: ${defaultLlmModel} answers instead (GET /api/v1/models lists the models)`;
}

function moveRoutes({ agents, models, provisioner }: AgentRouteParts): readonly Route[] {
  const moved = (agent: Agent, more: object = {}) =>
    reply(200, { agent: toAgentBody(agent, models), ...more }, tagOf(agent));
  const common = { ...COMMON, method: 'post', params: AgentPath, isConditional: true } as const;
  return [
    route({
      ...common,
      path: '/agent/{agent_id}/deploy',
      summary: 'Deploy an agent',
      responses: {
        200: { description: 'The agent, deployed', schema: DeployedAgent, headers: TAGGED },
        404: NO_SUCH_AGENT,
        409: {
          description:
            'The agent is disabled, its number in use or not owned, or its language not available',
        },
      },
      async handle(call) {
        const agent = await agents.deploy(refOf(call));
        const sip = await provisioner?.provisionAgent(agent);
        return moved(agent, { message: deployedMessage(agent, models), ...sip });
      },
    }),
    route({
      ...common,
      path: '/agent/{agent_id}/pause',
      summary: 'Pause an agent',
      responses: {
        200: { description: 'The agent, paused', schema: AgentAlone, headers: TAGGED },
        404: NO_SUCH_AGENT,
        409: DISABLED,
      },
      async handle(call) {
        const agent = await agents.pause(refOf(call));
        await provisioner?.deprovisionAgent(agent);
        return moved(agent);
      },
    }),
    route({
      ...common,
      path: '/agent/{agent_id}/disable',
      summary: 'Delete (disable) an agent',
      responses: {
        200: { description: 'The agent, disabled', schema: AgentAndMessage, headers: TAGGED },
        404: NO_SUCH_AGENT,
        409: { description: 'The agent is not paused' },
      },
      async handle(call) {
        const agent = await agents.disable(refOf(call));
        return moved(agent, { message: 'The agent is disabled, which is final' });
      },
    }),
  ];
}

function tagOf(agent: Agent): Readonly<Record<string, string>> {
  return { ETag: entityTagOf(agent) };
}

function refOf({ principal, params, ifMatch }: AgentCall): AgentRef {
  return { accountId: principal.accountId, id: params.agent_id, ifMatch };
}
