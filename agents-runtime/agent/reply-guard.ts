import type { Clock } from '../clock.js';
import { CallError } from '../errors.js';

/** A caller waits at most this long for the first word of a reply. Source: promise of 8 s of dead air. */
const FIRST_TOKEN_MS = 6_000;
/** … and this long for each further one. */
const NEXT_TOKEN_MS = 8_000;
/** A reply is spoken up to here, then ends: an endless model must not hold the floor. */
const MAX_CHARACTERS = 4_000;

/** Said when no model could answer, per language. */
const APOLOGIES: Readonly<Record<string, string>> = {
  en: 'Sorry, I could not work that out just now. Could you please say it again?',
  ca: 'Ho sento, ara no ho he pogut resoldre. Ho pots repetir?',
  sv: 'Förlåt, det gick inte just nu. Kan du säga det igen?',
  es: 'Lo siento, ahora no he podido resolverlo. ¿Puede repetirlo?',
  fr: 'Désolé, je n’ai pas pu répondre. Pouvez-vous répéter ?',
  de: 'Entschuldigung, das hat gerade nicht geklappt. Können Sie es bitte wiederholen?',
  it: 'Mi dispiace, non ci sono riuscito. Può ripetere?',
  pt: 'Desculpe, não consegui responder agora. Pode repetir?',
  pl: 'Przepraszam, nie udało mi się teraz odpowiedzieć. Czy może pan powtórzyć?',
  ru: 'Извините, сейчас не получилось ответить. Повторите, пожалуйста.',
  nl: 'Sorry, dat lukte nu niet. Kunt u het herhalen?',
};

export interface ReplyGuardOptions {
  readonly clock: Clock;
  readonly language: string;
  readonly signal: AbortSignal;
  /** Told why a reply failed or broke off. */
  readonly onFault: (error: unknown) => void;
}

/**
 * A reply that always ends: one that fails or stalls before its first word becomes an apology, one
 * that breaks off later ends there, and an endless one is cut.
 */
export async function* guardReply(
  tokens: AsyncGenerator<string>,
  { clock, language, signal, onFault }: ReplyGuardOptions,
): AsyncGenerator<string> {
  let characters = 0;
  try {
    for (;;) {
      const limitMs = characters === 0 ? FIRST_TOKEN_MS : NEXT_TOKEN_MS;
      const next = await withDeadline(tokens.next(), limitMs, clock);
      if (next.done) return;
      characters += next.value.length;
      yield next.value;
      if (characters > MAX_CHARACTERS) {
        throw new CallError('REPLY_FAILED', 'The reply went past its longest length and was ended');
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    onFault(error);
    if (characters === 0) yield APOLOGIES[language] ?? APOLOGIES.en!;
  } finally {
    // Not awaited: a generator that hangs in its own `next` would never answer.
    void tokens.return(undefined).catch(() => undefined);
  }
}

function withDeadline<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () =>
      reject(new CallError('REPLY_FAILED', `No word came from the model within ${ms} ms`)),
    );
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
