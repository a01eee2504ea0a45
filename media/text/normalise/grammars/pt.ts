import { toCardinal, toOrdinal } from 'n2words/pt-PT';
import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { inScales, ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';
import { PORTUGUESE_WORDS } from '../word-lists/pt.js';

const FORMS = loadForms(PORTUGUESE_WORDS);

/** Returns a number below a million in its Brazilian form. Source: CLDR rbnf/pt.xml. */
function below1e6(value: number, gender?: Gender): string {
  const words = (value === 0 ? 'zero' : toCardinal(value))
    .replace('dezasseis', 'dezesseis')
    .replace('dezassete', 'dezessete')
    .replace('dezanove', 'dezenove')
    .replace(/ mil (?=\S+entos$)|^mil (?=\S+entos$)/, (found) => `${found}e `);
  if (gender !== 'f') return words;
  return words
    .replace(/(^| )um(?= |$)/g, '$1uma')
    .replace(/(^| )dois(?= |$)/g, '$1duas')
    .replace(/entos(?= |$)/g, 'entas');
}

function cardinal(value: number, gender?: Gender): string {
  const scale = (of: number, one: string, many: string) => ({
    of,
    say: (n: number) => (n === 1 ? `um ${one}` : `${below1e6(n)} ${many}`),
  });
  const parts = inScales(
    value,
    [
      scale(1e12, 'trilhão', 'trilhões'),
      scale(1e9, 'bilhão', 'bilhões'),
      scale(1e6, 'milhão', 'milhões'),
    ],
    (rest) => below1e6(rest, gender),
  );
  // "e" precedes the last class if it is below a hundred or has full hundreds. Source: Bechara, § 124.
  const rest = value % 1e6;
  const isOneClass = rest < 1000 || rest % 1000 === 0;
  let lowest = value;
  while (lowest >= 1000 && lowest % 1000 === 0) lowest /= 1000;
  const isShort = isOneClass && (lowest % 1000 < 100 || lowest % 100 === 0);
  const last = parts.pop() ?? '';
  return [...parts, parts.length > 0 && isShort ? `e ${last}` : last].join(' ');
}

const NO_NOUN =
  /^(?:d[aeo]s?|e|ou|a|ao?s?|à|às|o|os|as|em|n[ao]s?|com|por|para|que|é|são|até|entre|mais|menos|se|me|um|uma|não|vezes|vírgula|ponto)$/;

function genderOf(word: string, value: number): Gender | undefined {
  const small = word.toLowerCase();
  if (small === 'vezes') return 'f';
  if (NO_NOUN.test(small)) return undefined;
  if (value !== 1 && !small.endsWith('s') && !small.includes('mil')) return undefined;
  if (
    /^(?:dias?|mapas?|temas?|programas?|problemas?|sistemas?|idiomas?|gramas?|quilogramas?|miligramas?)$/.test(
      small,
    )
  ) {
    return 'm';
  }
  return /(?:as?|ç(?:ão|ões)|dades?|noites?|tardes?|vezes|viage(?:m|ns))$/.test(small) ? 'f' : 'm';
}

const ORDINALS: readonly SpokenForm[] = [
  {
    pattern:
      /(?<![\p{L}\d.,])([1-9]\d{0,3})(?:\.?([º°ª])|\.?([oa])(?=[ ,.;)]|$))(?!\p{L}| ?[CF](?!\p{L}))/gu,
    say: ([, digits, sign, letter]) => {
      const ordinal = toOrdinal(Number(digits));
      return (sign ?? letter) === 'ª' || letter === 'a'
        ? ordinal.replace(/o(?= |$)/g, 'a')
        : ordinal;
    },
  },
  {
    pattern: new RegExp(`(?<=(?:séculos?|Séculos?|capítulo|tomo) )${ROMAN_NUMERAL}`, 'gu'),
    say: ([numeral]) => {
      const value = romanValue(numeral);
      return value === 0 ? undefined : cardinal(value);
    },
  },
];

/** The grammar of Portuguese of Brazil. Source: Bechara, Moderna gramática portuguesa; CLDR rbnf/pt.xml. */
export const PORTUGUESE: Grammar = {
  ...FORMS,
  own: ORDINALS,
  cardinal,
  genderOf,
  fraction: (over, under) => {
    const part = FORMS.fractions[under] ?? { 100: 'centésimo', 1000: 'milésimo' }[under];
    if (part === undefined && under < 1000) return `${cardinal(over)} ${cardinal(under)} avos`;
    return part && `${cardinal(over, 'm')} ${part}${over === 1 ? '' : 's'}`;
  },
  date: ({ day, month, year }) =>
    `${day === 1 ? 'primeiro' : cardinal(day)} de ${FORMS.months[month - 1]}${year === undefined ? '' : ` de ${cardinal(year)}`}`,
  time: ({ hour, minute }) => {
    const hours = cardinal(hour, 'f');
    if (minute === 0) return `${hours} ${hour === 1 ? 'hora' : 'horas'}`;
    return `${hours} e ${cardinal(minute)}`;
  },
};
