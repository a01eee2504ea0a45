import type { StockPhrases } from './stock-phrases.js';

export const DUTCH_PHRASES: StockPhrases = {
  prompts: ['Bent u er nog?', 'Hallo? Hoort u mij?'],
  warning: 'We hebben nog ongeveer een halve minuut.',
  noAudio: 'Ik hoor geen geluid van u. Controleer uw microfoon.',
  notUnderstood: 'Sorry, dat heb ik niet verstaan. Kunt u het herhalen?',
  voiceApology: 'Sorry, mijn stem viel weg. Kunt u het nog eens vragen?',
  fillers: ['Een moment alstublieft.', 'Ik ben er nog mee bezig.'],
  noAnswer: 'Sorry, dat lukte nu niet. Kunt u het herhalen?',
  brokenOff: 'Sorry, mijn antwoord werd afgebroken.',
  goodbyes: {
    silence: 'Ik hoor u niet meer, dus ik hang op. Tot ziens.',
    limit: 'Onze tijd is om. Bedankt en tot ziens.',
    fault: 'Sorry, er werkt hier iets niet. Belt u later nog eens. Tot ziens.',
    other: 'Tot ziens.',
  },
};
