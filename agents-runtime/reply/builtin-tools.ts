import type { ToolSpec, Tools } from '../contract/tools.js';

export interface BuiltinToolSettings {
  readonly allowAgentToEndCall: boolean;
  readonly allowAgentToSkipTurn: boolean;
  /** Languages that the call may change to. Empty if the agent's language is fixed. */
  readonly languages?: readonly string[];
  readonly change?: (language: string) => void;
}

const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false } as const;
/** Builtin tools return immediately. */
const TIMEOUT_MS = 1_000;

const END_CALL: ToolSpec = {
  name: 'end_call',
  description:
    'Ends the call once what you have said has been played. Say goodbye first, in the same answer.',
  parameters: NO_PARAMETERS,
  mode: 'sync',
  timeoutMs: TIMEOUT_MS,
  kind: 'call',
};
const SKIP_TURN: ToolSpec = {
  name: 'skip_turn',
  description:
    'Says nothing and lets the caller go on: for when they think aloud, or talk to someone else.',
  parameters: NO_PARAMETERS,
  mode: 'sync',
  timeoutMs: TIMEOUT_MS,
  kind: 'call',
};

const SWITCH_LANGUAGE = 'switch_language';

/** Names that webhooks and MCP tools cannot use, whether or not the agent allows the tool. */
export const BUILTIN_TOOLS: readonly string[] = [END_CALL.name, SKIP_TURN.name, SWITCH_LANGUAGE];

function switchLanguage(languages: readonly string[]): ToolSpec {
  return {
    name: SWITCH_LANGUAGE,
    description:
      'Speaks another language from now on, by a voice of that language. What you say after it is in ' +
      'that language.',
    parameters: {
      type: 'object',
      properties: { language: { type: 'string', enum: languages } },
      required: ['language'],
      additionalProperties: false,
    },
    mode: 'sync',
    timeoutMs: TIMEOUT_MS,
    kind: 'call',
  };
}

/**
 * Adds the builtin tools that the agent's settings allow: end the call, skip a turn, change the
 * language. A builtin tool replaces a configured tool of the same name.
 */
export function withBuiltinTools(tools: Tools | undefined, settings: BuiltinToolSettings): Tools {
  const { languages = [] } = settings;
  const builtin = [
    ...(settings.allowAgentToEndCall ? [END_CALL] : []),
    ...(settings.allowAgentToSkipTurn ? [SKIP_TURN] : []),
    ...(languages.length > 1 ? [switchLanguage(languages)] : []),
  ];
  const isBuiltin = (name: string) => builtin.some((spec) => spec.name === name);
  return {
    get specs() {
      return [...builtin, ...(tools?.specs ?? []).filter(({ name }) => !isBuiltin(name))];
    },
    async problemWith(name, args) {
      if (!isBuiltin(name)) return tools?.problemWith?.(name, args);
      if (name !== SWITCH_LANGUAGE || languages.includes(String(args.language))) return undefined;
      return `language is one of ${languages.join(', ')}.`;
    },
    async call(name, args, signal) {
      if (!isBuiltin(name)) return tools!.call(name, args, signal);
      if (name === SKIP_TURN.name) return { text: 'You stay silent.', skipsTurn: true };
      if (name === SWITCH_LANGUAGE) {
        settings.change?.(String(args.language));
        return {
          text: `You speak ${args.language} now: go on in that language.`,
          changesLanguage: true,
        };
      }
      return { text: 'The call ends.', ends: 'agent_hangup' };
    },
  };
}
