import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import { AgentPath } from '../../features/agents/agents.schema.js';
import { loadAgent } from '../../features/agents/load-agent.js';
import { type Route, route } from '../../platform/http/route.js';
import { PAGE_FIELDS, pageOf } from '../../platform/http/validation/pagination.js';
import { model } from '../../platform/http/validation/schema-builders.js';
import type { DeletionReceiptsRepository } from './deletion-receipts.repository.js';
import type { RetentionRepository } from './retention.repository.js';
import {
  AccountRetention,
  AgentRetention,
  AgentRetentionAnswer,
  ReceiptPage,
  Retention,
  toReceipt,
} from './retention.schema.js';

const TAG = 'Retention';

export interface RetentionRouteParts {
  readonly policies: RetentionRepository;
  readonly receipts: DeletionReceiptsRepository;
  readonly agents: Pick<AgentsRepository, 'find'>;
}

/** Retention policies of an account and of its agents, and the receipts of deletions. */
export function retentionRoutes(parts: RetentionRouteParts): readonly Route[] {
  return [...accountRoutes(parts), ...agentRoutes(parts)];
}

function accountRoutes({ policies, receipts }: RetentionRouteParts): readonly Route[] {
  const common = { tag: TAG, scope: 'calls:retention', path: '/account/retention' } as const;
  return [
    route({
      ...common,
      method: 'get',
      summary: 'Get the retention policy of the account',
      responses: { 200: { description: 'The policy of the account', schema: Retention } },
      handle: ({ principal }) => policies.find(principal.accountId, null),
    }),
    route({
      ...common,
      method: 'put',
      summary: 'Set the retention policy of the account',
      description:
        'Older recordings and transcripts are deleted within ten minutes, with a receipt. The call stays in the history. A missing field is null.',
      body: AccountRetention,
      responses: { 200: { description: 'The policy of the account', schema: Retention } },
      async handle({ principal, body, log }) {
        const days = daysOf(body);
        await policies.save(principal.accountId, null, days);
        log.info(
          { keyId: principal.keyId, ...days },
          'The retention policy of an account was changed',
        );
        return days;
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/account/retention/receipts',
      summary: 'List the receipts of deletions, newest first',
      query: model(PAGE_FIELDS),
      responses: { 200: { description: 'One page of receipts', schema: ReceiptPage } },
      async handle({ principal: { accountId }, query }) {
        const page = pageOf(query, await receipts.count(accountId));
        const rows = page.hasItems ? await receipts.list(accountId, page) : [];
        return { items: rows.map(toReceipt), pagination: page.pagination };
      },
    }),
  ];
}

function agentRoutes({ policies, agents }: RetentionRouteParts): readonly Route[] {
  const common = {
    tag: TAG,
    scope: 'agents',
    path: '/agent/{agent_id}/retention',
    params: AgentPath,
  } as const;
  const responses = {
    200: {
      description: "The agent's policy and the effective policy",
      schema: AgentRetentionAnswer,
    },
    404: { description: 'No such agent' },
  };
  const answer = async (accountId: string, agentId: string) => {
    const own = await policies.find(accountId, agentId);
    const general = await policies.find(accountId, null);
    const effective = {
      audio_days: own.audio_days ?? general.audio_days,
      transcript_days: own.transcript_days ?? general.transcript_days,
    };
    return { agent_id: agentId, ...own, effective };
  };
  return [
    route({
      ...common,
      method: 'get',
      summary: 'Get the retention policy of an agent',
      responses,
      async handle({ principal: { accountId }, params }) {
        const { id } = await loadAgent(agents, accountId, params.agent_id);
        return answer(accountId, id);
      },
    }),
    route({
      ...common,
      method: 'put',
      summary: 'Set the retention policy of an agent',
      description:
        "The agent's policy takes precedence over the account's. With null, the account's policy applies.",
      body: AgentRetention,
      responses,
      async handle({ principal: { accountId, keyId }, params, body, log }) {
        const { id } = await loadAgent(agents, accountId, params.agent_id);
        const days = daysOf(body);
        await policies.save(accountId, id, days);
        log.info({ keyId, agentId: id, ...days }, 'The retention policy of an agent was changed');
        return answer(accountId, id);
      },
    }),
  ];
}

function daysOf(body: {
  readonly audio_days?: number | null | undefined;
  readonly transcript_days?: number | null | undefined;
}) {
  return { audio_days: body.audio_days ?? null, transcript_days: body.transcript_days ?? null };
}
