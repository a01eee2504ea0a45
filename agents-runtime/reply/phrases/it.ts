import type { StockPhrases } from './stock-phrases.js';

export const ITALIAN_PHRASES: StockPhrases = {
  prompts: ['È ancora lì?', 'Pronto? Mi sente?'],
  warning: 'Ci resta circa mezzo minuto.',
  noAudio: 'Non la sento. Controlli il microfono, per favore.',
  notUnderstood: 'Scusi, non ho capito. Può ripetere?',
  voiceApology: 'Scusi, la mia voce si è interrotta. Può chiedermelo di nuovo?',
  fillers: ['Un momento, per favore.', 'Ci sto ancora lavorando.'],
  noAnswer: 'Mi dispiace, non ci sono riuscito. Può ripetere?',
  brokenOff: 'Mi dispiace, la mia risposta si è interrotta.',
  goodbyes: {
    silence: 'Non la sento più, quindi riattacco. Arrivederci.',
    limit: 'Il tempo è finito. Grazie e arrivederci.',
    fault: 'Mi dispiace, qualcosa non funziona. Richiami più tardi. Arrivederci.',
    other: 'Arrivederci.',
  },
};
