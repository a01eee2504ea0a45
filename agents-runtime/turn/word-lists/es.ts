import type { TurnWords } from './turn-words.js';

export const SPANISH_TURN: TurnWords = {
  incompleteEndings:
    'y e o u pero porque si cuando mientras aunque que de del a al con sin por para en desde hasta entre el la los las un una unos unas mi mis su sus es son era quiero necesito como pues no_sé no_estoy_seguro no_estoy_segura',
  completeEndings: 'así_es eso_es sí_es',
  fillers: 'eh em mmm a_ver o_sea déjame_pensar',
  numbers:
    'cero uno un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa doble',
  ordinals: 'primero',
  questions: {
    digits: 'número* teléfono* código* pin dígitos cifras iban cuenta',
    email: 'correo* email* e-mail* mail',
    'birth-date': 'nacimiento nació naciste nacido nacida cumpleaños',
    spelling: 'deletre* letra_por_letra se_escribe',
    date: 'fecha* qué_día',
  },
  at: 'arroba',
  dot: 'punto',
  backchannels: 'mhm mm hm sí si ok vale claro ajá ya bueno ah',
};
