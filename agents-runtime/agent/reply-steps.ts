import type { EndedReason } from '../call/call-log.js';
import { CallError } from '../errors.js';
import { type AttemptOptions, BROKEN, firstToAnswer } from './attempts.js';
import type { HistoryItem, ReplyRequest } from './reply-model.js';
import { sayingsIn } from './sayings.js';
import { CHANGE, FLUSH, type SpokenToken } from './speech.js';
import type { ToolRuns } from './tool-runs.js';
import type { ToolCall } from './tools.js';
import { within } from './within.js';

/** Times that tools are asked in one turn; then the model has to answer. Source: conversation design, reply. */
const MOST_STEPS = 6;
/** Tools at a time; more are left out. */
const MOST_CALLS = 8;
const FOREVER_MS = 2 ** 31 - 1;

export interface StepOptions extends AttemptOptions {
  readonly tools: ToolRuns;
  /** Resolves when the reply may have effects: tools never run ahead of that. */
  readonly committed: Promise<void>;
  /** Tools are being waited for, or no longer. */
  readonly onTools: (areRunning: boolean) => void;
  /** A tool ends the call after what is said. */
  readonly onEnding: (reason: EndedReason) => void;
}

/** A reply with all its steps: the model writes, tools run, the model goes on from what they brought. */
export async function* replySteps(
  request: Omit<ReplyRequest, 'signal' | 'tools'>,
  options: StepOptions,
): AsyncGenerator<SpokenToken> {
  const { tools, signal, onEnding } = options;
  const items: HistoryItem[] = [];
  let hasSpoken = options.mayBeEmpty;
  for (let step = 0; ; step++) {
    const specs = step < MOST_STEPS ? tools.specs : [];
    const calls: ToolCall[] = [];
    let said = '';
    const history = [...request.history, ...items];
    const asked = { ...request, history, ...(specs.length > 0 && { tools: specs }) };
    for await (const token of firstToAnswer(asked, { ...options, mayBeEmpty: hasSpoken })) {
      if (typeof token === 'string') {
        said += token;
        yield token;
      } else if (token === BROKEN) yield* told(sayingsIn(request.language).brokenOff);
      else if (calls.length < MOST_CALLS) calls.push(token);
    }
    hasSpoken ||= said.trim() !== '';
    if (calls.length === 0) return;
    if (step >= MOST_STEPS) {
      if (hasSpoken) return;
      throw new CallError('REPLY_FAILED', 'The model asked for tools and never answered');
    }
    yield FLUSH;
    const outcomes = await runAll(calls, options);
    if (signal.aborted || outcomes.some(({ skips }) => skips)) return;
    const ends = outcomes.find((outcome) => outcome.ends)?.ends;
    if (ends) {
      onEnding(ends);
      if (!hasSpoken) yield sayingsIn(request.language).goodbyes.other;
      return;
    }
    if (outcomes.some(({ changes }) => changes)) yield CHANGE;
    if (said.trim() !== '') items.push({ role: 'agent', text: said.trim(), cut: false });
    calls.forEach((call, i) => {
      items.push({ role: 'tool', text: outcomes[i]!.text, cut: false, call });
    });
  }
}

/** A sentence by itself: half a one before it is spoken first. */
async function* told(text: string): AsyncGenerator<SpokenToken> {
  yield FLUSH;
  yield text;
  yield FLUSH;
}

async function runAll(calls: readonly ToolCall[], options: StepOptions) {
  const { tools, committed, clock, signal, onTools } = options;
  await within(committed, FOREVER_MS, { clock, signal });
  onTools(true);
  try {
    return await Promise.all(calls.map((call) => tools.run(call, signal)));
  } finally {
    onTools(false);
  }
}
