import type { z } from 'zod';
import { list, model, oneOf, str } from '../../platform/http/validation/schema-builders.js';
import { AgentConfigInput } from './config/agent-config.schema.js';

const TYPES = ['business', 'support', 'appointments'] as const;
type TemplateType = (typeof TYPES)[number];

interface Template {
  readonly name: string;
  readonly description: string;
  readonly config: z.output<typeof AgentConfigInput>;
}

const RULES =
  'Answer in one or two short sentences. If you do not know something, say so and offer to take a message.';

/** Templates of agents. The variables of each call fill the placeholders. */
const TEMPLATES: Readonly<Record<TemplateType, Template>> = {
  business: {
    name: 'Front desk',
    description: 'Answers questions about a business from the facts in its prompt.',
    config: {
      greeting: 'Hello, this is {{company}}. How can I help you?',
      prompt: `You are the friendly voice of {{company}}. ${RULES}\n\nWrite one fact in each paragraph, such as opening hours, address and prices.`,
    },
  },
  support: {
    name: 'Support',
    description: 'Asks what is wrong, helps step by step, and hears out who is annoyed.',
    config: {
      greeting: 'Hello, you have reached the support of {{company}}. What can I do for you?',
      prompt: `You help customers of {{company}}. Ask what happened before you advise, give one step at a time, and wait until it is done. ${RULES}`,
      user_silence_timeout: 20,
    },
  },
  appointments: {
    name: 'Appointments',
    description: 'Takes requests for appointments: name, reason, day and time.',
    config: {
      greeting: 'Hello, this is {{company}}. Would you like to make an appointment?',
      prompt: `You take requests for appointments at {{company}}. Ask for the name, the reason, the day and the time, one after the other, and repeat all of it at the end. ${RULES}`,
      allow_agent_to_end_call: true,
    },
  },
};

export const TemplateRequest = model({
  agent_template: oneOf(TYPES).nullable().optional(),
  name: str({ min: 1, max: 255 }).nullable().optional(),
})
  .nullish()
  .meta({ id: 'InitAgent' });

export const AgentTemplate = model({
  agent_template: str(),
  available_types: list(str()),
  description: str(),
  name: str(),
  config: AgentConfigInput,
}).meta({ id: 'InitialAgent' });

/** The requested template. Its `name` and `config` are a body for creating an agent. */
export function agentTemplate(
  request: z.output<typeof TemplateRequest>,
): z.output<typeof AgentTemplate> {
  const agent_template = request?.agent_template ?? 'business';
  const { name, description, config } = TEMPLATES[agent_template];
  return {
    agent_template,
    available_types: [...TYPES],
    description,
    name: request?.name ?? name,
    config,
  };
}
