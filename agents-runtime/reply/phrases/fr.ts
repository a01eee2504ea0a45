import type { StockPhrases } from './stock-phrases.js';

export const FRENCH_PHRASES: StockPhrases = {
  prompts: ['Vous êtes toujours là ?', 'Allô ? Vous m’entendez ?'],
  warning: 'Il nous reste une demi-minute.',
  noAudio: 'Je ne vous entends pas. Vérifiez votre micro, s’il vous plaît.',
  notUnderstood: 'Pardon, je n’ai pas compris. Pouvez-vous répéter ?',
  voiceApology: 'Pardon, ma voix a été coupée. Pouvez-vous me le redemander ?',
  fillers: ['Un instant, s’il vous plaît.', 'J’y travaille encore.'],
  noAnswer: 'Désolé, je n’ai pas pu répondre. Pouvez-vous répéter ?',
  brokenOff: 'Désolé, ma réponse a été coupée.',
  goodbyes: {
    silence: 'Je ne vous entends plus, je vais raccrocher. Au revoir.',
    limit: 'Le temps est écoulé. Merci et au revoir.',
    fault: 'Désolé, quelque chose ne marche pas. Rappelez plus tard. Au revoir.',
    other: 'Au revoir.',
  },
};
