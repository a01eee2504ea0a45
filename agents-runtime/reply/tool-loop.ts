import type { EndedReason } from '../contract/ended-reason.js';
import { CallError } from '../contract/errors.js';
import type { HistoryItem, LlmRequest } from '../contract/language-model.js';
import type { ToolCall } from '../contract/tools.js';
import { withTimeout } from '../timing/timeout.js';
import { generateWithFallback, type LlmFallbackOptions } from './llm-fallback.js';
import { stockPhrasesIn } from './phrases/registry.js';
import { FLUSH, REPLY_BROKEN_OFF, type SpokenToken, VOICE_CHANGED } from './reply-token.js';
import type { ToolExecutor } from './tool-executor.js';

/** Rounds of tool calls in one turn. After them the model receives no tools. */
const MAX_ROUNDS = 6;
/** Tool calls in one round. Further ones are ignored. */
const MAX_TOOL_CALLS = 8;

export interface ToolLoopOptions extends LlmFallbackOptions {
  readonly tools: ToolExecutor;
  /** Resolves when the turn is committed. Tools run after that only. */
  readonly committed: Promise<void>;
  /** Tools have started to run, or all of a round have ended. */
  readonly onTools: (areRunning: boolean) => void;
  /** A tool ends the call after the reply. */
  readonly onEnding: (reason: EndedReason) => void;
}

/** Generates a reply in rounds: the model writes, its tools run, and the model continues with their results. */
export async function* runToolLoop(
  request: Omit<LlmRequest, 'signal' | 'tools'>,
  options: ToolLoopOptions,
): AsyncGenerator<SpokenToken> {
  const { tools, signal, onEnding } = options;
  const items: HistoryItem[] = [];
  let hasSpoken = options.mayBeEmpty;
  for (let round = 0; ; round++) {
    const specs = round < MAX_ROUNDS ? tools.specs : [];
    const toolCalls: ToolCall[] = [];
    let said = '';
    const history = [...request.history, ...items];
    const asked = { ...request, history, ...(specs.length > 0 && { tools: specs }) };
    for await (const token of generateWithFallback(asked, { ...options, mayBeEmpty: hasSpoken })) {
      if (typeof token === 'string') {
        said += token;
        yield token;
      } else if (token === REPLY_BROKEN_OFF)
        yield* separately(stockPhrasesIn(request.language).brokenOff);
      else if (toolCalls.length < MAX_TOOL_CALLS) toolCalls.push(token);
    }
    hasSpoken ||= said.trim() !== '';
    if (toolCalls.length === 0) return;
    if (round >= MAX_ROUNDS) {
      if (hasSpoken) return;
      throw new CallError('REPLY_FAILED', 'The model asked for tools and never answered');
    }
    yield FLUSH;
    const outcomes = await runAll(toolCalls, options);
    if (signal.aborted || outcomes.some(({ skipsTurn }) => skipsTurn)) return;
    const ends = outcomes.find((outcome) => outcome.ends)?.ends;
    if (ends) {
      onEnding(ends);
      if (!hasSpoken) yield stockPhrasesIn(request.language).goodbyes.other;
      return;
    }
    if (outcomes.some(({ changesLanguage }) => changesLanguage)) yield VOICE_CHANGED;
    if (said.trim() !== '') items.push({ role: 'agent', text: said.trim(), cut: false });
    toolCalls.forEach((call, i) => {
      items.push({ role: 'tool', text: outcomes[i]!.text, cut: false, call });
    });
  }
}

/** Speaks a text as its own sentence, after flushing an unfinished one. */
async function* separately(text: string): AsyncGenerator<SpokenToken> {
  yield FLUSH;
  yield text;
  yield FLUSH;
}

async function runAll(toolCalls: readonly ToolCall[], options: ToolLoopOptions) {
  const { tools, committed, clock, signal, onTools } = options;
  await withTimeout(committed, Number.POSITIVE_INFINITY, { clock, signal });
  onTools(true);
  try {
    return await Promise.all(toolCalls.map((call) => tools.run(call, signal)));
  } finally {
    onTools(false);
  }
}
