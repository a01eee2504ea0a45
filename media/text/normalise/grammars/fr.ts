import { toCardinal, toOrdinal } from 'n2words/fr-FR';
import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { romanValue } from '../rules/spelled-scales.js';
import { FRENCH_WORDS } from '../word-lists/fr.js';

const FORMS = loadForms(FRENCH_WORDS);

function cardinal(value: number, gender?: Gender): string {
  const words = value === 0 ? 'zéro' : toCardinal(value);
  return gender === 'f' ? words.replace(/(^|[ -])un$/, '$1une') : words;
}

/** Feminine nouns that are counted often. Their gender matters for "un" and "une" only. */
const FEMININE =
  /^(?:pages?|heures?|minutes?|secondes?|personnes?|fois|semaines?|années?|journées?|chambres?|places?|tables?|nuits?|voitures?|questions?|lignes?|étoiles?|pièces?|parts?|couronnes?|tonnes?|onces?|tasses?|bouteilles?|boîtes?|chaises?|filles?|femmes?|maisons?|portes?|rues?|villes?|langues?|lettres?|commandes?|réponses?|photos?|cartes?|livres sterling)$/;

function genderOf(word: string): Gender {
  return FEMININE.test(word.toLowerCase()) ? 'f' : 'm';
}

function ordinal(value: number, ending: string): string {
  const isFeminine = /^(?:re|ère|de|nde)/.test(ending);
  if (value === 1) return isFeminine ? 'première' : 'premier';
  if (/^n?de?$/.test(ending)) return isFeminine ? 'seconde' : 'second';
  return toOrdinal(value);
}

const ORDINALS: readonly SpokenForm[] = [
  {
    pattern: /(?<![\p{L}\d.,])([1-9]\d{0,3})(er|re|ère|ème|eme|è|e|nde|nd)(s?)(?!\p{L})/gu,
    say: ([, digits, ending = '', plural = '']) => ordinal(Number(digits), ending) + plural,
  },
  {
    // XXIe. A numeral of one letter ("Ve", "Ce") counts before certain nouns only.
    pattern:
      /(?<!\p{L})([IVX]{2,7}|[IVX](?=(?:e|er) (?:siècle|République|arrondissement|dynastie|congrès)))(ers?|ères?|res?|èmes?|es?)(?!\p{L})/gu,
    say: ([, numeral = '', ending = '']) => ordinal(romanValue(numeral), ending),
  },
];

/** The grammar of French. Source: OQLF, Banque de dépannage linguistique; CLDR rbnf/fr.xml. */
export const FRENCH: Grammar = {
  ...FORMS,
  own: ORDINALS,
  cardinal,
  genderOf,
  fraction: (over, under) => {
    const part = FORMS.fractions[under];
    const isPlural = over > 1 && !part?.endsWith('s');
    return part && `${cardinal(over)} ${part}${isPlural ? 's' : ''}`;
  },
  date: ({ day, month, year }) => {
    const words = [day === 1 ? 'premier' : cardinal(day), FORMS.months[month - 1]];
    if (year !== undefined) words.push(cardinal(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) => {
    const hours = `${cardinal(hour, 'f')} heure${hour > 1 ? 's' : ''}`;
    return minute > 0 ? `${hours} ${cardinal(minute)}` : hours;
  },
};
