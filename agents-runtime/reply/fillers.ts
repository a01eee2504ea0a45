import { FLUSH, type SpokenToken } from '../output/tts-pipeline.js';
import { TIMED_OUT, type TimeoutOptions, withTimeout } from '../timing/timeout.js';
import { stockPhrasesIn } from './phrases/registry.js';

/** Silence after which the caller is told that a tool is at work. Source: conversation design, reply. */
const TOOL_SILENCE_MS = 1_200;
/** The same for a model that does not begin, or stops in the middle. */
const MODEL_SILENCE_MS = 2_500;
/** … and for every further sentence of the kind; with its length it stays below 8 s of silence. */
const NEXT_SILENCE_MS = 5_000;
const CHECK_MS = 100;

export interface FillerOptions extends TimeoutOptions {
  readonly language: string;
  /** How long the caller has heard nothing; 0 while they do, or while the reply is not to be heard yet. */
  readonly quietMs: () => number;
  readonly isToolRunning: () => boolean;
}

/** Lets no reply leave the caller in silence: whatever it waits for, something is said. */
export async function* withFillers(
  tokens: AsyncGenerator<SpokenToken>,
  { language, quietMs, isToolRunning, ...timeout }: FillerOptions,
): AsyncGenerator<SpokenToken> {
  const { fillers } = stockPhrasesIn(language);
  let said = 0;
  try {
    for (;;) {
      const next = tokens.next();
      let token = await withTimeout(next, CHECK_MS, timeout);
      while (token === TIMED_OUT) {
        const first = isToolRunning() ? TOOL_SILENCE_MS : MODEL_SILENCE_MS;
        if (quietMs() >= (said === 0 ? first : NEXT_SILENCE_MS)) {
          yield FLUSH;
          yield fillers[said++ === 0 ? 0 : 1];
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
    // Not awaited: what it waits for may never come.
    void tokens.return(undefined).catch(() => undefined);
  }
}
