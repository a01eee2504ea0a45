import type { AllowedHosts } from '../../../platform/egress/allowed-hosts.js';
import type { ValidationError } from '../../../platform/http/validation/invalid-input.js';
import type { AgentConfigInput } from './agent-config.schema.js';
import { AGENT_SETTINGS } from './agent-settings.js';
import type { StoredConfig } from './stored-config.js';
import { toolLimitProblems } from './tool-limits.js';

type Loc = ValidationError['loc'];
const CONFIG = ['body', 'config'] as const;

/**
 * Checks the rules between settings. Addresses are checked in the request only, so that a stricter
 * OUTBOUND_ALLOWED_HOSTS does not lock old agents. The other rules apply to the merged config.
 */
export function configErrorsOf(
  input: AgentConfigInput,
  next: StoredConfig,
  hosts: AllowedHosts,
): ValidationError[] {
  return [
    ...errorsOfDelays(input, next),
    ...errorsOfOutbound(input, next),
    ...errorsOfAddresses(input, hosts),
    ...errorsOfDuplicates(input),
    ...errorsOfTools(input),
  ];
}

function errorsOfDelays(input: AgentConfigInput, next: StoredConfig): ValidationError[] {
  const min = next.min_endpointing_delay ?? AGENT_SETTINGS.min_endpointing_delay.default;
  const max = next.max_endpointing_delay ?? AGENT_SETTINGS.max_endpointing_delay.default;
  if (min <= max) return [];
  const field = input.min_endpointing_delay == null ? 'max' : 'min';
  const given = field === 'min' ? min : max;
  const sentence = `min_endpointing_delay (${min}) must not be greater than max_endpointing_delay (${max})`;
  return [errorAt([...CONFIG, `${field}_endpointing_delay`], sentence, given)];
}

function errorsOfOutbound(input: AgentConfigInput, next: StoredConfig): ValidationError[] {
  const isEmpty = Object.keys(next.outbound_contacts ?? {}).length === 0;
  if (!next.allow_outbound_calling || !isEmpty) return [];
  const sentence = 'outbound_contacts must not be empty when allow_outbound_calling is true';
  return [errorAt([...CONFIG, 'outbound_contacts'], sentence, input.outbound_contacts ?? null)];
}

/** The addresses of a request and their locations. */
function* addressesOf({ webhooks, mcp_servers }: AgentConfigInput): Generator<[Loc, string]> {
  for (const kind of ['events', 'tools'] as const) {
    for (const [index, { url }] of (webhooks?.[kind] ?? []).entries()) {
      yield [[...CONFIG, 'webhooks', kind, index, 'url'], url];
    }
  }
  if (webhooks?.inbound_call) {
    yield [[...CONFIG, 'webhooks', 'inbound_call', 'url'], webhooks.inbound_call.url];
  }
  for (const [index, { url }] of (mcp_servers ?? []).entries()) {
    yield [[...CONFIG, 'mcp_servers', index, 'url'], url];
  }
}

function errorsOfAddresses(input: AgentConfigInput, hosts: AllowedHosts): ValidationError[] {
  const errors: ValidationError[] = [];
  for (const [loc, text] of addressesOf(input)) {
    const url = new URL(text);
    if (url.protocol === 'https:' || hosts.has(url.hostname)) continue;
    const sentence = 'the URL must use https (http is only for hosts in OUTBOUND_ALLOWED_HOSTS)';
    errors.push(errorAt(loc, sentence, text));
  }
  return errors;
}

function errorsOfDuplicates({ webhooks, mcp_servers }: AgentConfigInput): ValidationError[] {
  return [
    ...repeated(webhooks?.events, 'url', [...CONFIG, 'webhooks', 'events']),
    ...repeated(webhooks?.tools, 'name', [...CONFIG, 'webhooks', 'tools']),
    ...repeated(mcp_servers, 'name', [...CONFIG, 'mcp_servers']),
  ];
}

function errorsOfTools({ webhooks }: AgentConfigInput): ValidationError[] {
  const tools = webhooks?.tools ?? [];
  return toolLimitProblems(tools).map(({ index, field, problem }) => {
    const loc: Loc = [...CONFIG, 'webhooks', 'tools', index, field];
    return errorAt(loc, problem, tools[index]?.name);
  });
}

function repeated<Field extends 'url' | 'name'>(
  entries: readonly Readonly<Record<Field, string>>[] | null | undefined,
  field: Field,
  loc: Loc,
): ValidationError[] {
  const seen = new Set<string>();
  return (entries ?? []).flatMap((entry, index) => {
    const value = entry[field];
    // `https://a.example` and `HTTPS://A.example/` are the same address.
    const key = field === 'url' ? new URL(value).href : value;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [errorAt([...loc, index, field], `the ${field} is used by an earlier entry`, value)];
  });
}

function errorAt(loc: Loc, sentence: string, input: unknown): ValidationError {
  return {
    type: 'value_error',
    loc,
    msg: `Value error, ${sentence}`,
    input,
    ctx: { error: {} },
  };
}
