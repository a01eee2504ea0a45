import type { StockPhrases } from './stock-phrases.js';

export const SWEDISH_PHRASES: StockPhrases = {
  prompts: ['Är du kvar?', 'Hallå? Hör du mig?'],
  warning: 'Vi har ungefär en halv minut kvar.',
  noAudio: 'Jag hör inget ljud från dig. Kontrollera mikrofonen.',
  notUnderstood: 'Förlåt, det hörde jag inte. Kan du säga det igen?',
  voiceApology: 'Förlåt, min röst bröts av. Kan du fråga igen?',
  fillers: ['Ett ögonblick.', 'Jag håller fortfarande på.'],
  noAnswer: 'Förlåt, det gick inte just nu. Kan du säga det igen?',
  brokenOff: 'Förlåt, mitt svar bröts av där.',
  goodbyes: {
    silence: 'Jag hör dig inte längre, så jag lägger på. Hej då.',
    limit: 'Tiden är slut. Tack och hej då.',
    fault: 'Förlåt, något fungerar inte. Ring gärna senare. Hej då.',
    other: 'Hej då.',
  },
};
