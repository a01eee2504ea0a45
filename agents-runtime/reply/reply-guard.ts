import { CallError } from '../contract/errors.js';
import { FLUSH, type SpokenToken } from '../output/tts-pipeline.js';
import { stockPhrasesIn } from './phrases/registry.js';

/** A reply is spoken up to here, then ends: an endless model must not hold the floor. */
const MAX_CHARACTERS = 4_000;

export interface ReplyGuardOptions {
  readonly language: string;
  readonly signal: AbortSignal;
  /** Told why a reply failed or broke off. */
  readonly onFault: (error: unknown) => void;
  /** Told that the caller hears an apology. */
  readonly onApology: () => void;
}

/**
 * A reply that always ends: one that fails becomes an apology, one that breaks off says so, and an
 * endless one is cut.
 */
export async function* guardReply(
  tokens: AsyncGenerator<SpokenToken>,
  { language, signal, onFault, onApology }: ReplyGuardOptions,
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
    onApology();
    const { noAnswer, brokenOff } = stockPhrasesIn(language);
    // By itself: half a sentence before it is spoken first.
    yield FLUSH;
    yield characters > 0 ? brokenOff : noAnswer;
  }
}
