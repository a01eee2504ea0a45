import { linkedAbort } from '../../media/async/linked-abort.js';
import { CallError } from '../contract/errors.js';
import type { LanguageModel, LlmRequest, ReplyToken } from '../contract/language-model.js';
import { TIMED_OUT, type TimeoutOptions, withTimeout } from '../timing/timeout.js';
import { REPLY_INTERRUPTED } from './reply-token.js';

/** A model that has not begun by then is given up. */
const FIRST_TOKEN_MS = 6_000;
/** All attempts together; fillers are heard meanwhile. After a reply that broke off it counts anew. */
const ALL_FIRST_TOKENS_MS = 10_000;
/** The same for each further word; the rest of the reply is then lost. */
const NEXT_TOKEN_MS = 6_000;

export interface LlmFallbackOptions extends TimeoutOptions {
  /** In the order in which they are asked; the first is asked twice. */
  readonly models: readonly LanguageModel[];
  /** An empty reply is no fault. */
  readonly mayBeEmpty: boolean;
  /** Told which model answers, once it has begun. */
  readonly onAnswering?: (model: LanguageModel) => void;
  /** Told of each attempt that failed while there is another. */
  readonly onFault: (error: unknown) => void;
}

/** Of what was said before a break, the next model is told the end. */
const MAX_SPOKEN_LENGTH = 600;

/**
 * A reply of the first model that begins to answer: retry, then the fallbacks; they also go on with a
 * reply that breaks off.
 * @throws CallError REPLY_FAILED when none answers, or when the last one breaks off.
 */
export async function* generateWithFallback(
  request: Omit<LlmRequest, 'signal'>,
  options: LlmFallbackOptions,
): AsyncGenerator<ReplyToken | typeof REPLY_INTERRUPTED> {
  const { models, clock, signal, onFault } = options;
  const [first, ...fallbacks] = models;
  const plan = [first!, first!, ...fallbacks];
  let until = clock.now() + ALL_FIRST_TOKENS_MS;
  let asked = request;
  let said = '';
  let failure: unknown;
  for (let i = 0; i < plan.length && clock.now() < until; i++) {
    // A model that hangs is not asked again while there is another.
    if (i === 1 && fallbacks.length > 0 && isLate(failure)) continue;
    if (i > 0) onFault(failure);
    const attempt = { model: plan[i]!, hasBegun: false, untilMs: until };
    try {
      for await (const token of ask(attempt, asked, options)) {
        if (typeof token === 'string') said += token;
        yield token;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      failure = error;
      if (!attempt.hasBegun) continue;
      if (i >= plan.length - 1 || fallbacks.length === 0) throw error;
      yield REPLY_INTERRUPTED;
      // The one that broke off is not asked to go on.
      i = Math.max(i, 1);
      asked = { ...request, notes: [...(request.notes ?? []), goOn(said)] };
      until = clock.now() + ALL_FIRST_TOKENS_MS;
    }
  }
  throw failure;
}

function goOn(said: string): string {
  const end = JSON.stringify(said.slice(-MAX_SPOKEN_LENGTH));
  return `Your answer to the next message broke off; the caller has heard the end of this, and was told so: ${end}. Say what is missing, and do not begin again.`;
}

interface Attempt {
  readonly model: LanguageModel;
  readonly untilMs: number;
  hasBegun: boolean;
}

async function* ask(
  attempt: Attempt,
  request: Omit<LlmRequest, 'signal'>,
  { clock, signal, mayBeEmpty, onAnswering }: LlmFallbackOptions,
): AsyncGenerator<ReplyToken> {
  const { model } = attempt;
  const writing = linkedAbort(signal);
  const tokens = model.reply({ ...request, signal: writing.signal });
  // Tokens without a word do not count as an answer.
  let waitedMs = 0;
  try {
    for (;;) {
      const askedAt = clock.now();
      const limitMs = attempt.hasBegun
        ? NEXT_TOKEN_MS - waitedMs
        : Math.min(FIRST_TOKEN_MS - waitedMs, attempt.untilMs - askedAt);
      const next = await withTimeout(tokens.next(), limitMs, { clock, signal });
      waitedMs += clock.now() - askedAt;
      if (next === TIMED_OUT) throw new CallError('REPLY_FAILED', `${LATE_TEXT} (${model.id})`);
      if (next.done) {
        if (attempt.hasBegun || mayBeEmpty) return;
        throw new CallError('REPLY_FAILED', `The model gave an empty reply (${model.id})`);
      }
      if (isWord(next.value)) {
        if (!attempt.hasBegun) onAnswering?.(model);
        attempt.hasBegun = true;
        waitedMs = 0;
      }
      if (attempt.hasBegun) yield next.value;
    }
  } finally {
    writing.abort();
    // Not awaited: a generator that hangs in its own `next` would never answer.
    void tokens.return(undefined).catch(() => undefined);
  }
}

const LATE_TEXT = 'No word came from the model in time';

function isLate(error: unknown): boolean {
  return error instanceof CallError && error.message.startsWith(LATE_TEXT);
}

function isWord(token: ReplyToken): boolean {
  return typeof token !== 'string' || token.trim() !== '';
}
