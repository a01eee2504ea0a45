import { TIMED_OUT, type TimeoutOptions, withTimeout } from '../timing/timeout.js';
import { stockPhrasesIn } from './phrases/registry.js';
import { FLUSH, type SpokenToken } from './reply-token.js';

/** Silence before a filler while a tool runs, in milliseconds. */
const TOOL_SILENCE_MS = 1_200;
/** Silence before a filler while a model generates, in milliseconds. */
const MODEL_SILENCE_MS = 2_500;
/**
 * Silence before each further filler, in milliseconds. With one fallback voice, the silence between two sentences is at
 * most 8 s: these 5 s and 1.5 s for each voice.
 */
const NEXT_SILENCE_MS = 5_000;
const CHECK_MS = 100;

export interface FillerOptions extends TimeoutOptions {
  readonly language: string;
  /** Milliseconds of silence for the caller. 0 while audio plays and before the reply is committed. */
  readonly quietMs: () => number;
  readonly isToolRunning: () => boolean;
}

/** Adds fillers to a reply while its next token takes long. */
export async function* withFillers(
  tokens: AsyncGenerator<SpokenToken>,
  { language, quietMs, isToolRunning, ...timeout }: FillerOptions,
): AsyncGenerator<SpokenToken> {
  const { fillers } = stockPhrasesIn(language);
  let spokenFillers = 0;
  try {
    for (;;) {
      const next = tokens.next();
      let token = await withTimeout(next, CHECK_MS, timeout);
      while (token === TIMED_OUT) {
        const first = isToolRunning() ? TOOL_SILENCE_MS : MODEL_SILENCE_MS;
        if (quietMs() >= (spokenFillers === 0 ? first : NEXT_SILENCE_MS)) {
          yield FLUSH;
          yield fillers[spokenFillers++ === 0 ? 0 : 1];
          yield FLUSH;
        }
        token = await withTimeout(next, CHECK_MS, timeout);
      }
      if (token.done) return;
      yield token.value;
    }
  } catch (error) {
    if (!timeout.signal.aborted) throw error;
  } finally {
    // Not awaited: a generator that hangs in `next` never settles.
    void tokens.return(undefined).catch(() => undefined);
  }
}
