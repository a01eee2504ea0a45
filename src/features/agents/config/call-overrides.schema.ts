import type { z } from 'zod';
import { codePoints } from '../../../platform/http/validation/coerce.js';
import {
  dict,
  model,
  PRINTABLE,
  scalar,
} from '../../../platform/http/validation/schema-builders.js';

import { overrideShape } from './settings-table.js';
import { VOICE_SETTINGS } from './voice-settings.js';

const MAX_VARIABLES = 200;
/** Code points. */
const MAX_NAME_LENGTH = 200;
/** Code points. */
const MAX_VALUE_LENGTH = 10_000;

/** The voice settings that one call may change. Unknown fields are refused by name. */
const OverriddenVoice = model(overrideShape(VOICE_SETTINGS), { extra: 'forbid' }).transform(
  withoutNulls,
);

/** The settings of an agent that one call may change; null changes nothing. */
export const AgentOverrides = model(
  { tts_params: OverriddenVoice.nullable().optional() },
  { extra: 'forbid' },
).meta({ id: 'AgentOverrides' });
export type AgentOverrides = z.output<typeof AgentOverrides>;

type WithoutNulls<T> = { [K in keyof T]?: NonNullable<T[K]> };

function withoutNulls<T extends object>(fields: T): WithoutNulls<T>;
function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

/** Values of the placeholders in prompt and greeting: a flat map of strings, numbers and booleans. */
export const DynamicVariables = dict(scalar().meta({ maxLength: MAX_VALUE_LENGTH }))
  .refine((variables) => Object.keys(variables).length <= MAX_VARIABLES, {
    message: `there must be at most ${MAX_VARIABLES} variables`,
  })
  .refine((variables) => Object.keys(variables).every(isVariableName), {
    message: `a variable must have a name of 1 to ${MAX_NAME_LENGTH} printable characters, without braces`,
  })
  .refine((variables) => Object.values(variables).every((value) => !isTooLong(value)), {
    message: `a value must have at most ${MAX_VALUE_LENGTH} characters`,
  })
  .meta({
    description: 'Values of the `{{name}}` placeholders in prompt and greeting.',
    maxProperties: MAX_VARIABLES,
    propertyNames: { pattern: `^${PRINTABLE.replace('[^', '[^{}')}{1,${MAX_NAME_LENGTH}}$` },
  });
export type CallVariables = Readonly<z.output<typeof DynamicVariables>>;

function isVariableName(name: string): boolean {
  return /^[^\p{Cc}\p{Surrogate}{}]{1,200}$/u.test(name);
}

function isTooLong(value: unknown): boolean {
  return typeof value === 'string' && codePoints(value) > MAX_VALUE_LENGTH;
}

/** The changes that apply to one call of an agent. */
export interface CallOverrides {
  readonly dynamic_variables?: CallVariables | undefined;
  readonly agent_overrides?: AgentOverrides | undefined;
}
