import type { StockPhrases } from './stock-phrases.js';

export const ENGLISH_PHRASES: StockPhrases = {
  prompts: ['Are you still there?', 'Hello? Can you hear me?'],
  warning: 'We have about half a minute left.',
  noAudio: 'I cannot hear any sound from you. Please check your microphone.',
  notUnderstood: 'Sorry, I did not catch that. Could you say it again?',
  voiceApology: 'Sorry, my voice broke off. Could you ask me again?',
  fillers: ['One moment, please.', 'I am still working on it.'],
  noAnswer: 'Sorry, I could not work that out just now. Could you please say it again?',
  brokenOff: 'Sorry, my answer broke off there.',
  goodbyes: {
    silence: 'I cannot hear you any more, so I will hang up. Goodbye.',
    limit: 'Our time is up. Thank you, and goodbye.',
    fault: 'Sorry, something is not working here. Please call again later. Goodbye.',
    other: 'Goodbye.',
  },
};
