import { CallError } from '../contract/errors.js';
import type { LanguageModel, LlmRequest, ReplyToken } from '../contract/language-model.js';
import { isTimeout, ProviderFallback, streamWithin } from '../timing/provider-fallback.js';
import type { TimeoutOptions } from '../timing/timeout.js';
import { REPLY_BROKEN_OFF } from './reply-token.js';

/** Time to the first word of one attempt. */
const FIRST_TOKEN_MS = 6_000;
/**
 * Time to the first word of all attempts together; fillers play meanwhile. Starts again after a reply
 * that broke off.
 */
const ALL_FIRST_TOKENS_MS = 10_000;
/** Time to each further word. */
const NEXT_TOKEN_MS = 6_000;
/** Characters of a broken-off reply, from its end, that the next model receives. */
const MAX_SPOKEN_LENGTH = 600;

export interface LlmFallbackOptions extends TimeoutOptions {
  /** In order of preference. The first one may be asked twice. */
  readonly models: readonly LanguageModel[];
  /** An empty reply is not a fault. */
  readonly mayBeEmpty: boolean;
  /** Receives the model that answers, at its first word. */
  readonly onAnswering?: (model: LanguageModel) => void;
  /** Receives the error of each attempt that another attempt follows. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Streams a reply. If the first model fails before its first word, it is asked once more, then each
 * fallback once; after a timeout the first fallback is asked at once. If a reply breaks off, the next
 * fallback continues it after `REPLY_BROKEN_OFF`.
 * @throws CallError REPLY_FAILED or TIMED_OUT, or the provider's error, when no attempt is left
 */
export async function* generateWithFallback(
  request: Omit<LlmRequest, 'signal'>,
  options: LlmFallbackOptions,
): AsyncGenerator<ReplyToken | typeof REPLY_BROKEN_OFF> {
  const { models, clock, signal, onFault } = options;
  const fallback = new ProviderFallback(models, onFault);
  let deadlineAt = clock.now() + ALL_FIRST_TOKENS_MS;
  let currentRequest = request;
  let said = '';
  for (;;) {
    const attempt = { model: fallback.current, hasBegun: false, deadlineAt };
    try {
      for await (const token of ask(attempt, currentRequest, options)) {
        if (typeof token === 'string') said += token;
        yield token;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      const { hasBegun } = attempt;
      if (!hasBegun && clock.now() >= deadlineAt) throw error;
      fallback.advance(error, !hasBegun && !(isTimeout(error) && fallback.hasNext));
      if (!hasBegun) continue;
      yield REPLY_BROKEN_OFF;
      currentRequest = { ...request, notes: [...(request.notes ?? []), continuationNote(said)] };
      deadlineAt = clock.now() + ALL_FIRST_TOKENS_MS;
    }
  }
}

function continuationNote(said: string): string {
  const end = JSON.stringify(said.slice(-MAX_SPOKEN_LENGTH));
  return `Your answer to the next message broke off, and the caller was told so. It ended with: ${end}. Say what is missing, and do not begin again.`;
}

interface Attempt {
  readonly model: LanguageModel;
  /** Clock time by which the first word must come. */
  readonly deadlineAt: number;
  hasBegun: boolean;
}

/** One attempt, from its first word on. Tokens without a word do not extend the time limit. */
async function* ask(
  attempt: Attempt,
  request: Omit<LlmRequest, 'signal'>,
  { clock, signal, mayBeEmpty, onAnswering }: LlmFallbackOptions,
): AsyncGenerator<ReplyToken> {
  const { model, deadlineAt } = attempt;
  let waitStartedAt = 0;
  let waitedMs = 0;
  const limitMs = () => {
    waitStartedAt = clock.now();
    return attempt.hasBegun
      ? NEXT_TOKEN_MS - waitedMs
      : Math.min(FIRST_TOKEN_MS - waitedMs, deadlineAt - waitStartedAt);
  };
  const message = `No word came from the model in time (${model.id})`;
  const open = (work: AbortSignal) => model.generate({ ...request, signal: work });
  for await (const token of streamWithin(open, { clock, signal, limitMs, message })) {
    waitedMs += clock.now() - waitStartedAt;
    if (typeof token !== 'string' || token.trim() !== '') {
      if (!attempt.hasBegun) onAnswering?.(model);
      attempt.hasBegun = true;
      waitedMs = 0;
    }
    if (attempt.hasBegun) yield token;
  }
  if (attempt.hasBegun || mayBeEmpty) return;
  throw new CallError('REPLY_FAILED', `The model gave an empty reply (${model.id})`);
}
