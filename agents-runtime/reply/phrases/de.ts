import type { StockPhrases } from './stock-phrases.js';

export const GERMAN_PHRASES: StockPhrases = {
  prompts: ['Sind Sie noch da?', 'Hallo? Können Sie mich hören?'],
  warning: 'Wir haben noch etwa eine halbe Minute.',
  noAudio: 'Ich höre nichts von Ihnen. Bitte prüfen Sie Ihr Mikrofon.',
  notUnderstood: 'Das habe ich leider nicht verstanden. Können Sie es wiederholen?',
  voiceApology: 'Entschuldigung, meine Stimme war weg. Fragen Sie bitte noch einmal.',
  fillers: ['Einen Moment bitte.', 'Ich bin noch dabei.'],
  noAnswer: 'Entschuldigung, das hat gerade nicht geklappt. Können Sie es bitte wiederholen?',
  brokenOff: 'Entschuldigung, meine Antwort ist hier abgebrochen.',
  goodbyes: {
    silence: 'Ich höre Sie nicht mehr und lege jetzt auf. Auf Wiederhören.',
    limit: 'Unsere Zeit ist um. Danke und auf Wiederhören.',
    fault: 'Leider funktioniert hier etwas nicht. Bitte rufen Sie später an. Auf Wiederhören.',
    other: 'Auf Wiederhören.',
  },
};
