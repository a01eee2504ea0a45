import type { TextWords } from './text-words.js';

export const ITALIAN_TEXT: TextWords = {
  signs: {
    '.': 'punto',
    '@': 'chiocciola',
    '/': 'barra',
    '-': 'trattino',
    _: 'trattino basso',
    '+': 'più',
    '=': 'uguale',
    '&': 'e',
    '?': 'punto di domanda',
    '#': 'cancelletto',
    ':': 'due punti',
    '%': 'per cento',
    '~': 'tilde',
  },
  fullStops: {
    inside:
      'sig sig.ra sig.na sigg dott dott.ssa dr prof prof.ssa avv ing arch geom rag on p.es es fig n nr tel pag s ss v via p.za cap art cfr vol nn pp',
    beforeNumber: 'vol',
    either: 'ecc s.p.a s.r.l',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
