import { sayingsIn } from './sayings.js';
import { FLUSH, type SpokenToken } from './speech.js';
import { LATE, type Patience, within } from './within.js';

/** Silence after which the caller is told that a tool is at work. Source: conversation design, reply. */
const TOOL_SILENCE_MS = 1_200;
/** The same for a model that does not begin, or stops in the middle. */
const MODEL_SILENCE_MS = 2_500;
/** … and for every further sentence of the kind; with its length it stays below 8 s of silence. */
const NEXT_SILENCE_MS = 5_000;
const CHECK_MS = 100;

export interface FillerOptions extends Patience {
  readonly language: string;
  /** How long the caller has heard nothing; 0 while they do, or while the reply is not to be heard yet. */
  readonly quietMs: () => number;
  readonly isToolRunning: () => boolean;
}

/** Lets no reply leave the caller in silence: whatever it waits for, something is said. */
export async function* withFillers(
  tokens: AsyncGenerator<SpokenToken>,
  { language, quietMs, isToolRunning, ...patience }: FillerOptions,
): AsyncGenerator<SpokenToken> {
  const { fillers } = sayingsIn(language);
  let said = 0;
  try {
    for (;;) {
      const next = tokens.next();
      let token = await within(next, CHECK_MS, patience);
      while (token === LATE) {
        const first = isToolRunning() ? TOOL_SILENCE_MS : MODEL_SILENCE_MS;
        if (quietMs() >= (said === 0 ? first : NEXT_SILENCE_MS)) {
          yield FLUSH;
          yield fillers[said++ === 0 ? 0 : 1];
          yield FLUSH;
        }
        token = await within(next, CHECK_MS, patience);
      }
      if (token.done) return;
      yield token.value;
    }
  } catch (error) {
    if (!patience.signal.aborted) throw error;
  } finally {
    // Not awaited: what it waits for may never come.
    void tokens.return(undefined).catch(() => undefined);
  }
}
