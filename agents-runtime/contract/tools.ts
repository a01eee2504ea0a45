import type { EndedReason } from './ended-reason.js';

/** Where a tool runs: in the call itself (`call`), or outside. */
export type ToolKind = 'call' | 'webhook' | 'mcp' | 'managed';

/** A tool call of an LLM. */
export interface ToolCall {
  readonly type: 'tool-call';
  /** The id that the LLM gave this call. */
  readonly id: string;
  readonly name: string;
  /** As generated: JSON if the LLM made no mistake. */
  readonly arguments: string;
}

/** A tool as described to the LLM. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `sync`: the reply waits for the result. `async`: the reply continues; the result becomes context. */
  readonly mode: 'sync' | 'async';
  /** Timeout in milliseconds. */
  readonly timeoutMs: number;
  /** For the call record. Default: `webhook`. */
  readonly kind?: ToolKind;
}

/** The result of a tool. */
export interface ToolOutcome {
  /** For the LLM: the result, or a description of the failure. */
  readonly text: string;
  /** The tool failed; `text` says why. */
  readonly failed?: boolean;
  /** The agent ends its turn without another word. */
  readonly skips?: boolean;
  /** The reply continues in another language. */
  readonly changes?: boolean;
  /** The call ends for this reason once the reply has been played. */
  readonly ends?: EndedReason;
}

/** The port for the tools of one call. Implementations limit the size of results. */
export interface Tools {
  /** May change during the call. */
  readonly specs: readonly ToolSpec[];
  /** Validates the arguments. Resolves with a description of the error for the LLM, or undefined. */
  problemWith?(name: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** @param signal - aborted when the tool times out or the call ends */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome>;
}

export interface BuiltinToolSettings {
  readonly allowAgentToEndCall: boolean;
  readonly allowAgentToSkipTurn: boolean;
  /** Those that the call may change to; none where its language is set. */
  readonly languages?: readonly string[];
  readonly change?: (language: string) => void;
}

const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false } as const;
/** They answer at once. */
const OWN_TIMEOUT_MS = 1_000;

const END_CALL: ToolSpec = {
  name: 'end_call',
  description:
    'Ends the call once what you have said has been played. Say goodbye first, in the same answer.',
  parameters: NO_PARAMETERS,
  mode: 'sync',
  timeoutMs: OWN_TIMEOUT_MS,
  kind: 'call',
};
const SKIP_TURN: ToolSpec = {
  name: 'skip_turn',
  description:
    'Says nothing and lets the caller go on: for when they think aloud, or talk to someone else.',
  parameters: NO_PARAMETERS,
  mode: 'sync',
  timeoutMs: OWN_TIMEOUT_MS,
  kind: 'call',
};

const SWITCH_LANGUAGE = 'switch_language';

/** The names of the agent's own tools, allowed or not. */
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
    timeoutMs: OWN_TIMEOUT_MS,
    kind: 'call',
  };
}

/**
 * A call's tools with those that the agent's own settings allow: to end the call, to skip a turn, and
 * to speak another language.
 */
export function withBuiltinTools(tools: Tools | undefined, settings: BuiltinToolSettings): Tools {
  const { languages = [] } = settings;
  const own = [
    ...(settings.allowAgentToEndCall ? [END_CALL] : []),
    ...(settings.allowAgentToSkipTurn ? [SKIP_TURN] : []),
    ...(languages.length > 1 ? [switchLanguage(languages)] : []),
  ];
  const isOwn = (name: string) => own.some((spec) => spec.name === name);
  return {
    get specs() {
      return [...own, ...(tools?.specs ?? []).filter(({ name }) => !isOwn(name))];
    },
    async problemWith(name, args) {
      if (!isOwn(name)) return tools?.problemWith?.(name, args);
      if (name !== SWITCH_LANGUAGE || languages.includes(String(args.language))) return undefined;
      return `language is one of ${languages.join(', ')}.`;
    },
    async call(name, args, signal) {
      if (!isOwn(name)) return tools!.call(name, args, signal);
      if (name === SKIP_TURN.name) return { text: 'You stay silent.', skips: true };
      if (name === SWITCH_LANGUAGE) {
        settings.change?.(String(args.language));
        return { text: `You speak ${args.language} now: go on in that language.`, changes: true };
      }
      return { text: 'The call ends.', ends: 'agent_hangup' };
    },
  };
}
