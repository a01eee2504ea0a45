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

/** Said when a reply broke off in the middle, per language. */
const BROKEN_OFF: Readonly<Record<string, string>> = {
  en: 'Sorry, my answer broke off there.',
  ca: 'Ho sento, la resposta s’ha tallat.',
  sv: 'Förlåt, mitt svar bröts av där.',
  es: 'Lo siento, mi respuesta se ha cortado.',
  fr: 'Désolé, ma réponse a été coupée.',
  de: 'Entschuldigung, meine Antwort ist hier abgebrochen.',
  it: 'Mi dispiace, la mia risposta si è interrotta.',
  pt: 'Desculpe, a minha resposta foi interrompida.',
  pl: 'Przepraszam, moja odpowiedź się urwała.',
  ru: 'Извините, мой ответ прервался.',
  nl: 'Sorry, mijn antwoord werd afgebroken.',
};

export interface ReplyGuardOptions {
  readonly clock: Clock;
  readonly language: string;
  readonly signal: AbortSignal;
  /** Ends what makes the tokens, also when it hangs. */
  readonly stop: () => void;
  /** Told why a reply failed or broke off. */
  readonly onFault: (error: unknown) => void;
}

/**
 * A reply that always ends: one that fails, stalls or ends before its first word becomes an apology,
 * one that breaks off later says so, and an endless one is cut.
 */
export async function* guardReply(
  tokens: AsyncGenerator<string>,
  { clock, language, signal, stop, onFault }: ReplyGuardOptions,
): AsyncGenerator<string> {
  let characters = 0;
  let hasWords = false;
  /** For the next word; tokens without one do not count as an answer. */
  let waitedMs = 0;
  try {
    while (characters <= MAX_CHARACTERS) {
      const limitMs = (hasWords ? NEXT_TOKEN_MS : FIRST_TOKEN_MS) - waitedMs;
      const askedAt = clock.now();
      const next = await withDeadline(tokens.next(), limitMs, clock);
      waitedMs += clock.now() - askedAt;
      if (next.done && hasWords) return;
      if (next.done) throw new CallError('REPLY_FAILED', 'The model gave an empty reply');
      if (next.value.trim() !== '') {
        hasWords = true;
        waitedMs = 0;
      }
      characters += next.value.length;
      yield next.value;
    }
    onFault(new CallError('REPLY_FAILED', 'The reply went past its longest length and was ended'));
  } catch (error) {
    if (signal.aborted) return;
    onFault(error);
    const sayings = hasWords ? BROKEN_OFF : APOLOGIES;
    // A line of its own: half a sentence before it is spoken by itself.
    yield `\n\n${sayings[language] ?? sayings.en!}`;
  } finally {
    stop();
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
