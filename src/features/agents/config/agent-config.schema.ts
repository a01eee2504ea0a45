import type { z } from 'zod';
import { model } from '../../../platform/http/validation/schema-builders.js';
import { AGENT_SETTINGS } from './agent-settings.js';
import { requestShape, responseShape } from './settings-table.js';

/** The config of an agent in a request. Every setting may be absent or null. */
export const AgentConfigInput = model(requestShape(AGENT_SETTINGS)).meta({
  id: 'AgentConfigInput',
});
export type AgentConfigInput = z.output<typeof AgentConfigInput>;

/** The config of an agent in a response: every setting, without secrets. */
export const AgentConfigOutput = model(responseShape(AGENT_SETTINGS)).meta({ id: 'AgentConfig' });
