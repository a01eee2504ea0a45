import { CallError } from '../contract/errors.js';
import { stockPhrasesIn } from './phrases/registry.js';
import { FLUSH, type SpokenToken } from './reply-token.js';

/** Longest reply in UTF-16 units. A longer one is cut, as a model may never stop. */
const MAX_CHARACTERS = 4_000;

export interface ReplyGuardOptions {
  readonly language: string;
  readonly signal: AbortSignal;
  /** Receives the reason why a reply failed or was cut. */
  readonly onFault: (error: unknown) => void;
  /** Called before the phrase that replaces the rest of a failed reply. */
  readonly onReplyFailed: () => void;
}

/**
 * Ends every reply in a defined way: a failed reply becomes an apology, a reply that breaks off with no LLM left says
 * so, and an endless one is cut.
 */
export async function* guardReply(
  tokens: AsyncGenerator<SpokenToken>,
  { language, signal, onFault, onReplyFailed }: ReplyGuardOptions,
): AsyncGenerator<SpokenToken> {
  let characters = 0;
  try {
    for await (const token of tokens) {
      const isText = typeof token === 'string';
      const length = isText ? token.length : 0;
      yield isText ? token.slice(0, MAX_CHARACTERS - characters) : token;
      characters += length;
      if (characters < MAX_CHARACTERS) continue;
      onFault(
        new CallError('REPLY_FAILED', 'The reply went past its longest length and was ended'),
      );
      return;
    }
  } catch (error) {
    if (signal.aborted) return;
    onFault(error);
    onReplyFailed();
    const { noAnswer, brokenOff } = stockPhrasesIn(language);
    // Otherwise the phrase would continue the unfinished sentence.
    yield FLUSH;
    yield characters > 0 ? brokenOff : noAnswer;
  }
}
