import type { EndedReason } from './call-log.js';
import type { ToolKind } from './tool-kind.js';

/** A model asks for a tool. */
export interface ToolCall {
  readonly type: 'tool-call';
  /** The model's own name for this call. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: JSON, or not. */
  readonly arguments: string;
}

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A sync tool holds the turn; an async one is only accepted, and its result is context. */
  readonly mode: 'sync' | 'async';
  /** It has failed when it has brought nothing by then. */
  readonly timeoutMs: number;
  /** For the call's record; a webhook where it is left out. */
  readonly kind?: ToolKind;
}

/** What a tool brought. */
export interface ToolOutcome {
  /** For the model; may be an account of what went wrong. */
  readonly text: string;
  /** It did not do what was asked; `text` says why. */
  readonly failed?: boolean;
  /** The agent says nothing more and yields the floor. */
  readonly skips?: boolean;
  /** What follows is in another language. */
  readonly changes?: boolean;
  /** The call ends, for this reason, as soon as what was said has been played. */
  readonly ends?: EndedReason;
}

/** The tools of one call. Who implements it bounds sizes and keeps its own secrets. */
export interface Tools {
  /** May change while the call runs. */
  readonly specs: readonly ToolSpec[];
  /** What is wrong with the arguments, for the model; undefined when nothing is. */
  problemWith?(name: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** @param signal fires when the tool has timed out or the call has ended. */
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
