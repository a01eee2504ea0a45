import type { TurnWords } from './turn-words.js';

export const PORTUGUESE_TURN: TurnWords = {
  incompleteEndings:
    'e ou mas porque se quando enquanto embora que de do da dos das a ao à com sem por para pra em no na desde até entre o os as um uma uns umas meu minha seu sua é são era quero preciso como pois não_sei não_tenho_certeza',
  completeEndings: 'é_isso isso_é pois_é sim_é',
  fillers: 'eh hum ãh hã quer_dizer deixa_ver',
  numbers:
    'zero um uma dois duas três quatro cinco seis meia sete oito nove dez onze doze treze catorze quatorze quinze dezesseis dezasseis dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
  ordinals: 'primeiro',
  questions: {
    digits: 'número* telefone* telemóvel celular código* pin dígitos cpf nif cep iban conta',
    email: 'email* e-mail* correio_eletrônico correio_eletrónico',
    'birth-date': 'nascimento nasceu nasceste aniversário',
    spelling: 'soletr* letra_por_letra se_escreve',
    date: 'data* que_dia qual_dia',
  },
  at: 'arroba',
  dot: 'ponto',
  backchannels: 'mhm mm hm sim ok tá certo claro ah pois é',
};
