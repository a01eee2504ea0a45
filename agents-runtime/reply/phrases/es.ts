import type { StockPhrases } from './stock-phrases.js';

export const SPANISH_PHRASES: StockPhrases = {
  prompts: ['¿Sigue ahí?', '¿Hola? ¿Me oye?'],
  warning: 'Nos queda medio minuto.',
  noAudio: 'No le oigo. Compruebe el micrófono, por favor.',
  notUnderstood: 'Perdone, no le he entendido. ¿Puede repetirlo?',
  voiceApology: 'Perdone, se me ha cortado la voz. ¿Puede preguntarme otra vez?',
  fillers: ['Un momento, por favor.', 'Sigo trabajando en ello.'],
  noAnswer: 'Lo siento, ahora no he podido resolverlo. ¿Puede repetirlo?',
  brokenOff: 'Lo siento, mi respuesta se ha cortado.',
  goodbyes: {
    silence: 'Ya no le oigo, así que voy a colgar. Adiós.',
    limit: 'Se ha acabado el tiempo. Gracias y adiós.',
    fault: 'Lo siento, algo no funciona. Llame más tarde, por favor. Adiós.',
    other: 'Adiós.',
  },
};
