import type { LlmRequest, ReplyToken } from '../../../../agents-runtime/contract/language-model.js';
import type { ToolCall, ToolOutcome, Tools } from '../../../../agents-runtime/contract/tools.js';
import type { VirtualClock } from '../audio/virtual-clock.js';
import { type HarnessOptions, harness, sleep } from './call-harness.js';

export interface ScriptedTool {
  readonly mode?: 'sync' | 'async';
  readonly durationMs?: number;
  readonly timeoutMs?: number;
  readonly outcome?: ToolOutcome;
  readonly fails?: boolean;
}

/** Tools that take time on the virtual clock; `called` lists the start time of each call. */
function scriptedTools(clock: () => VirtualClock, tools: Record<string, ScriptedTool>) {
  const called: string[] = [];
  const port: Tools = {
    specs: Object.entries(tools).map(([name, { mode = 'sync', timeoutMs = 10_000 }]) => ({
      name,
      description: name,
      parameters: { type: 'object', properties: {} },
      mode,
      timeoutMs,
    })),
    problemWith: async (_, args) => ('wrong' in args ? 'wrong is no argument' : undefined),
    async call(name) {
      const { durationMs = 0, outcome, fails } = tools[name]!;
      called.push(`${Math.round(clock().now())}: ${name}`);
      await sleep(clock(), durationMs);
      if (fails) throw new Error('the tool died');
      return outcome ?? { text: `${name} says five` };
    },
  };
  return { port, called };
}

export function toolCall(name: string, args: string | object = {}): ToolCall {
  const written = typeof args === 'string' ? args : JSON.stringify(args);
  return { type: 'tool-call', id: `call-of-${name}`, name, arguments: written };
}

/** A model that calls tools first and then answers with the last result. */
export function replyWithTools(...calls: readonly ToolCall[]) {
  return async function* ({ history }: LlmRequest): AsyncGenerator<ReplyToken> {
    const last = history.at(-1)!;
    if (last.role === 'tool') {
      yield `The answer is: ${last.text}.`;
      return;
    }
    yield* calls;
  };
}

/** A call harness whose model has tools. */
export function harnessWithTools(
  tools: Record<string, ScriptedTool>,
  options: HarnessOptions = {},
) {
  let clock: VirtualClock | undefined;
  const { port, called } = scriptedTools(() => clock!, tools);
  const call = harness({ ...options, tools: port });
  clock = call.clock;
  return { ...call, called };
}
