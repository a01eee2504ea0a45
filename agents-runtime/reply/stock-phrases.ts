import type { Language } from '../../media/languages.js';
import type { EndedReason } from '../contract/ended-reason.js';
import type { AnnouncementKind } from '../contract/turn-events.js';

/** What the agent says of itself, without a model, in one language. */
interface StockPhrases {
  /** The caller is silent: first and second time. */
  readonly prompts: readonly [string, string];
  readonly warning: string;
  readonly noSound: string;
  readonly unheard: string;
  /** The voice broke off. */
  readonly apology: string;
  /** While a tool or a model takes its time: first time, and after that. */
  readonly fillers: readonly [string, string];
  /** No model could answer. */
  readonly noAnswer: string;
  /** A reply broke off in the middle. */
  readonly brokenOff: string;
  readonly goodbyes: {
    readonly silence: string;
    readonly limit: string;
    readonly fault: string;
    readonly other: string;
  };
}

const SAYINGS: Readonly<Record<Language, StockPhrases>> = {
  en: {
    prompts: ['Are you still there?', 'Hello? Can you hear me?'],
    warning: 'We have about half a minute left.',
    noSound: 'I cannot hear any sound from you. Please check your microphone.',
    unheard: 'Sorry, I did not catch that. Could you say it again?',
    apology: 'Sorry, my voice broke off. Could you ask me again?',
    fillers: ['One moment, please.', 'I am still working on it.'],
    noAnswer: 'Sorry, I could not work that out just now. Could you please say it again?',
    brokenOff: 'Sorry, my answer broke off there.',
    goodbyes: {
      silence: 'I cannot hear you any more, so I will hang up. Goodbye.',
      limit: 'Our time is up. Thank you, and goodbye.',
      fault: 'Sorry, something is not working here. Please call again later. Goodbye.',
      other: 'Goodbye.',
    },
  },
  ca: {
    prompts: ['Encara hi ets?', 'Hola? Em sents?'],
    warning: 'Ens queda mig minut.',
    noSound: 'No et sento. Comprova el micròfon, si us plau.',
    unheard: 'Perdona, no t’he entès. Ho pots repetir?',
    apology: 'Perdona, se m’ha tallat la veu. M’ho pots tornar a preguntar?',
    fillers: ['Un moment, si us plau.', 'Encara hi estic treballant.'],
    noAnswer: 'Ho sento, ara no ho he pogut resoldre. Ho pots repetir?',
    brokenOff: 'Ho sento, la resposta s’ha tallat.',
    goodbyes: {
      silence: 'Ja no et sento i penjaré. Adeu.',
      limit: 'S’ha acabat el temps. Gràcies i adeu.',
      fault: 'Ho sento, alguna cosa no funciona. Truca més tard, si us plau. Adeu.',
      other: 'Adeu.',
    },
  },
  sv: {
    prompts: ['Är du kvar?', 'Hallå? Hör du mig?'],
    warning: 'Vi har ungefär en halv minut kvar.',
    noSound: 'Jag hör inget ljud från dig. Kontrollera mikrofonen.',
    unheard: 'Förlåt, det hörde jag inte. Kan du säga det igen?',
    apology: 'Förlåt, min röst bröts av. Kan du fråga igen?',
    fillers: ['Ett ögonblick.', 'Jag håller fortfarande på.'],
    noAnswer: 'Förlåt, det gick inte just nu. Kan du säga det igen?',
    brokenOff: 'Förlåt, mitt svar bröts av där.',
    goodbyes: {
      silence: 'Jag hör dig inte längre, så jag lägger på. Hej då.',
      limit: 'Tiden är slut. Tack och hej då.',
      fault: 'Förlåt, något fungerar inte. Ring gärna senare. Hej då.',
      other: 'Hej då.',
    },
  },
  es: {
    prompts: ['¿Sigue ahí?', '¿Hola? ¿Me oye?'],
    warning: 'Nos queda medio minuto.',
    noSound: 'No le oigo. Compruebe el micrófono, por favor.',
    unheard: 'Perdone, no le he entendido. ¿Puede repetirlo?',
    apology: 'Perdone, se me ha cortado la voz. ¿Puede preguntarme otra vez?',
    fillers: ['Un momento, por favor.', 'Sigo trabajando en ello.'],
    noAnswer: 'Lo siento, ahora no he podido resolverlo. ¿Puede repetirlo?',
    brokenOff: 'Lo siento, mi respuesta se ha cortado.',
    goodbyes: {
      silence: 'Ya no le oigo, así que voy a colgar. Adiós.',
      limit: 'Se ha acabado el tiempo. Gracias y adiós.',
      fault: 'Lo siento, algo no funciona. Llame más tarde, por favor. Adiós.',
      other: 'Adiós.',
    },
  },
  fr: {
    prompts: ['Vous êtes toujours là ?', 'Allô ? Vous m’entendez ?'],
    warning: 'Il nous reste une demi-minute.',
    noSound: 'Je ne vous entends pas. Vérifiez votre micro, s’il vous plaît.',
    unheard: 'Pardon, je n’ai pas compris. Pouvez-vous répéter ?',
    apology: 'Pardon, ma voix a été coupée. Pouvez-vous me le redemander ?',
    fillers: ['Un instant, s’il vous plaît.', 'J’y travaille encore.'],
    noAnswer: 'Désolé, je n’ai pas pu répondre. Pouvez-vous répéter ?',
    brokenOff: 'Désolé, ma réponse a été coupée.',
    goodbyes: {
      silence: 'Je ne vous entends plus, je vais raccrocher. Au revoir.',
      limit: 'Le temps est écoulé. Merci et au revoir.',
      fault: 'Désolé, quelque chose ne marche pas. Rappelez plus tard. Au revoir.',
      other: 'Au revoir.',
    },
  },
  de: {
    prompts: ['Sind Sie noch da?', 'Hallo? Können Sie mich hören?'],
    warning: 'Wir haben noch etwa eine halbe Minute.',
    noSound: 'Ich höre nichts von Ihnen. Bitte prüfen Sie Ihr Mikrofon.',
    unheard: 'Das habe ich leider nicht verstanden. Können Sie es wiederholen?',
    apology: 'Entschuldigung, meine Stimme war weg. Fragen Sie bitte noch einmal.',
    fillers: ['Einen Moment bitte.', 'Ich bin noch dabei.'],
    noAnswer: 'Entschuldigung, das hat gerade nicht geklappt. Können Sie es bitte wiederholen?',
    brokenOff: 'Entschuldigung, meine Antwort ist hier abgebrochen.',
    goodbyes: {
      silence: 'Ich höre Sie nicht mehr und lege jetzt auf. Auf Wiederhören.',
      limit: 'Unsere Zeit ist um. Danke und auf Wiederhören.',
      fault: 'Leider funktioniert hier etwas nicht. Bitte rufen Sie später an. Auf Wiederhören.',
      other: 'Auf Wiederhören.',
    },
  },
  it: {
    prompts: ['È ancora lì?', 'Pronto? Mi sente?'],
    warning: 'Ci resta circa mezzo minuto.',
    noSound: 'Non la sento. Controlli il microfono, per favore.',
    unheard: 'Scusi, non ho capito. Può ripetere?',
    apology: 'Scusi, la mia voce si è interrotta. Può chiedermelo di nuovo?',
    fillers: ['Un momento, per favore.', 'Ci sto ancora lavorando.'],
    noAnswer: 'Mi dispiace, non ci sono riuscito. Può ripetere?',
    brokenOff: 'Mi dispiace, la mia risposta si è interrotta.',
    goodbyes: {
      silence: 'Non la sento più, quindi riattacco. Arrivederci.',
      limit: 'Il tempo è finito. Grazie e arrivederci.',
      fault: 'Mi dispiace, qualcosa non funziona. Richiami più tardi. Arrivederci.',
      other: 'Arrivederci.',
    },
  },
  pt: {
    prompts: ['Ainda está aí?', 'Alô? Está me ouvindo?'],
    warning: 'Temos cerca de meio minuto.',
    noSound: 'Não ouço nenhum som. Verifique o microfone, por favor.',
    unheard: 'Desculpe, não entendi. Pode repetir?',
    apology: 'Desculpe, a minha voz falhou. Pode perguntar de novo?',
    fillers: ['Um momento, por favor.', 'Ainda estou a tratar disso.'],
    noAnswer: 'Desculpe, não consegui responder agora. Pode repetir?',
    brokenOff: 'Desculpe, a minha resposta foi interrompida.',
    goodbyes: {
      silence: 'Já não o ouço, por isso vou desligar. Adeus.',
      limit: 'O tempo acabou. Obrigado e adeus.',
      fault: 'Desculpe, algo não funciona. Ligue mais tarde, por favor. Adeus.',
      other: 'Adeus.',
    },
  },
  pl: {
    prompts: ['Czy jest tam jeszcze ktoś?', 'Halo? Czy mnie słychać?'],
    warning: 'Zostało nam około pół minuty.',
    noSound: 'Nie słyszę żadnego dźwięku. Proszę sprawdzić mikrofon.',
    unheard: 'Przepraszam, to było niewyraźne. Proszę powtórzyć.',
    apology: 'Przepraszam, głos mi się urwał. Proszę zapytać jeszcze raz.',
    fillers: ['Chwileczkę.', 'To jeszcze chwilę potrwa.'],
    noAnswer: 'Przepraszam, nie udało mi się teraz odpowiedzieć. Czy może pan powtórzyć?',
    brokenOff: 'Przepraszam, moja odpowiedź się urwała.',
    goodbyes: {
      silence: 'Nic już nie słyszę, więc kończę rozmowę. Do widzenia.',
      limit: 'Nasz czas minął. Dziękuję i do widzenia.',
      fault: 'Przepraszam, coś tu nie działa. Proszę zadzwonić później. Do widzenia.',
      other: 'Do widzenia.',
    },
  },
  ru: {
    prompts: ['Вы ещё здесь?', 'Алло? Вы меня слышите?'],
    warning: 'У нас осталось около полминуты.',
    noSound: 'Я вас не слышу. Проверьте, пожалуйста, микрофон.',
    unheard: 'Извините, не расслышала. Повторите, пожалуйста.',
    apology: 'Извините, голос прервался. Спросите, пожалуйста, ещё раз.',
    fillers: ['Одну минуту, пожалуйста.', 'Я ещё ищу ответ.'],
    noAnswer: 'Извините, сейчас не получилось ответить. Повторите, пожалуйста.',
    brokenOff: 'Извините, мой ответ прервался.',
    goodbyes: {
      silence: 'Вас больше не слышно, я кладу трубку. До свидания.',
      limit: 'Наше время вышло. Спасибо и до свидания.',
      fault: 'Извините, что-то не работает. Позвоните, пожалуйста, позже. До свидания.',
      other: 'До свидания.',
    },
  },
  nl: {
    prompts: ['Bent u er nog?', 'Hallo? Hoort u mij?'],
    warning: 'We hebben nog ongeveer een halve minuut.',
    noSound: 'Ik hoor geen geluid van u. Controleer uw microfoon.',
    unheard: 'Sorry, dat heb ik niet verstaan. Kunt u het herhalen?',
    apology: 'Sorry, mijn stem viel weg. Kunt u het nog eens vragen?',
    fillers: ['Een moment alstublieft.', 'Ik ben er nog mee bezig.'],
    noAnswer: 'Sorry, dat lukte nu niet. Kunt u het herhalen?',
    brokenOff: 'Sorry, mijn antwoord werd afgebroken.',
    goodbyes: {
      silence: 'Ik hoor u niet meer, dus ik hang op. Tot ziens.',
      limit: 'Onze tijd is om. Bedankt en tot ziens.',
      fault: 'Sorry, er werkt hier iets niet. Belt u later nog eens. Tot ziens.',
      other: 'Tot ziens.',
    },
  },
};

/** English stands in for a language without its own. */
export function stockPhrasesIn(language: string): StockPhrases {
  return SAYINGS[language as Language] ?? SAYINGS.en;
}

/** How the agent says it; the greeting is its config's. */
export function phraseText({ kind, reason, times }: StockPhraseRequest, language: string): string {
  const sayings = stockPhrasesIn(language);
  switch (kind) {
    case 'prompt':
      return sayings.prompts[times === 0 ? 0 : 1];
    case 'warning':
      return sayings.warning;
    case 'no-audio':
      return sayings.noSound;
    case 'unheard':
      return sayings.unheard;
    case 'apology':
      return sayings.apology;
    case 'goodbye':
      return goodbye(sayings, reason);
  }
}

export interface StockPhraseRequest {
  readonly kind: Exclude<AnnouncementKind, 'greeting' | 'dictated'>;
  /** Why the call ends, for a goodbye. */
  readonly reason: EndedReason | undefined;
  /** How often it has been said before. */
  readonly times: number;
}

function goodbye({ goodbyes }: StockPhrases, reason: EndedReason | undefined): string {
  if (reason === 'inactivity' || reason === 'error_no_audio_received') return goodbyes.silence;
  if (reason === 'max_duration_reached') return goodbyes.limit;
  return reason?.startsWith('error_') ? goodbyes.fault : goodbyes.other;
}
