import type { StockPhrases } from './stock-phrases.js';

export const PORTUGUESE_PHRASES: StockPhrases = {
  prompts: ['Ainda está aí?', 'Alô? Está me ouvindo?'],
  warning: 'Temos cerca de meio minuto.',
  noAudio: 'Não ouço nenhum som. Verifique o microfone, por favor.',
  notUnderstood: 'Desculpe, não entendi. Pode repetir?',
  voiceApology: 'Desculpe, a minha voz falhou. Pode perguntar de novo?',
  fillers: ['Um momento, por favor.', 'Ainda estou a tratar disso.'],
  noAnswer: 'Desculpe, não consegui responder agora. Pode repetir?',
  brokenOff: 'Desculpe, a minha resposta foi interrompida.',
  goodbyes: {
    silence: 'Já não o ouço, por isso vou desligar. Adeus.',
    limit: 'O tempo acabou. Obrigado e adeus.',
    fault: 'Desculpe, algo não funciona. Ligue mais tarde, por favor. Adeus.',
    other: 'Adeus.',
  },
};
