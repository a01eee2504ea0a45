import { toCardinal, toOrdinal } from 'n2words/pt-PT';
import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Gender, type Grammar, letterNames, noun } from '../rules/grammar.js';
import { inScales, ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';

const MONTHS =
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(
    ' ',
  );

/** The Brazilian forms (Source: CLDR rbnf/pt.xml). */
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
  // "e" stands before the last class if it is below a hundred or has full hundreds (Source: Bechara, § 124).
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

const PARTS: Readonly<Record<number, string>> = {
  2: 'meio',
  3: 'terço',
  4: 'quarto',
  5: 'quinto',
  6: 'sexto',
  7: 'sétimo',
  8: 'oitavo',
  9: 'nono',
  10: 'décimo',
};

/** Portuguese of Brazil (Source: Bechara, Moderna gramática portuguesa; CLDR rbnf/pt.xml). */
export const PORTUGUESE: Grammar = {
  language: 'pt',
  words: {
    minus: 'menos',
    plus: 'mais',
    times: 'vezes',
    equals: 'igual a',
    over: 'sobre',
    to: 'a',
    comma: 'vírgula',
    point: 'ponto',
    and: 'e',
    number: 'número',
    paragraph: 'parágrafo',
  },
  pairsDecimals: true,
  months: MONTHS,
  shortMonths: 'jan fev mar abr mai jun jul ago set out nov dez'.split(' '),
  clock: { suffixes: ['h', 'hs', 'horas'], prefixes: [], hasHourLetter: true },
  money: {
    currencies: currencies([
      'R$ BRL = m real|reais = m centavo|centavos',
      '€ EUR euros euro = m euro|euros = m centavo|centavos',
      'US$ $ USD = m dólar|dólares = m centavo|centavos',
      '£ GBP = f libra|libras = m centavo|centavos',
      'CHF = m franco|francos = m centavo|centavos',
      '¥ JPY = m iene|ienes',
    ]),
    join: ' e ',
    namesParts: true,
    of: 'de ',
  },
  scales: new Map([
    ['milhões', noun('milhão|milhões')],
    ['milhão', noun('milhão|milhões')],
    ['mi', noun('milhão|milhões')],
    ['bilhões', noun('bilhão|bilhões')],
    ['bilhão', noun('bilhão|bilhões')],
    ['trilhões', noun('trilhão|trilhões')],
    ['trilhão', noun('trilhão|trilhões')],
    ['bi', noun('bilhão|bilhões')],
  ]),
  unitSigns: { s: 'second' },
  moreUnits: {
    'm²': noun('metro quadrado|metros quadrados'),
    'km²': noun('quilômetro quadrado|quilômetros quadrados'),
    'm³': noun('metro cúbico|metros cúbicos'),
    kWh: noun('quilowatt-hora|quilowatts-hora'),
    kW: noun('quilowatt|quilowatts'),
    W: noun('watt|watts'),
    V: noun('volt|volts'),
    MHz: noun('megahertz'),
    GHz: noun('gigahertz'),
    t: noun('tonelada|toneladas', 'f'),
    mg: noun('miligrama|miligramas'),
  },
  letters: letterNames(
    'a:á b:bê c:cê d:dê e:é f:efe g:gê h:agá i:i j:jota k:cá l:ele m:eme n:ene o:ó p:pê q:quê r:erre s:esse t:tê u:u v:vê w:dáblio x:xis y:ípsilon z:zê ç:cê_cedilha',
  ),
  abbreviations: {
    'Sr.': 'senhor',
    'Sra.': 'senhora',
    'Srta.': 'senhorita',
    'Dr.': 'doutor',
    'Dra.': 'doutora',
    'Prof.': 'professor',
    'Profa.': 'professora',
    'Eng.': 'engenheiro',
    'Exmo.': 'excelentíssimo',
    'Exma.': 'excelentíssima',
    'Av.': 'avenida',
    'R.#': 'rua',
    'p.ex.': 'por exemplo',
    'ex.': 'exemplo',
    'etc.': 'etcétera',
    'pág.': 'página',
    'págs.': 'páginas',
    'núm.': 'número',
    'n.º': 'número',
    nº: 'número',
    'tel.': 'telefone',
    'art.': 'artigo',
    'cap.': 'capítulo',
    'aprox.': 'aproximadamente',
    'máx.': 'máximo',
    'mín.': 'mínimo',
    'Ltda.': 'limitada',
    'Cia.': 'companhia',
    'dpto.': 'departamento',
  },
  acronyms: ['UE', 'EUA', 'IBGE', 'CEP:cep', 'IPTU', 'IPVA:ipva', 'PIX:pix'],
  phones: [
    /(?<![\p{L}\d.,+-])\(\d{2}\) ?\d{4,5}-\d{4}(?![\d-]|[.,]\d)/gu,
    /(?<![\p{L}\d.,+-])\d{4,5}-\d{4}(?![\d-]|[.,]\d)/gu,
  ],
  pairsPhones: false,
  own: ORDINALS,
  cardinal,
  half: { behind: [' e meio', ' e meia'], alone: ['meio', 'meia'] },
  genderOf,
  fraction: (over, under) => {
    const part = PARTS[under] ?? { 100: 'centésimo', 1000: 'milésimo' }[under];
    if (part === undefined && under < 1000) return `${cardinal(over)} ${cardinal(under)} avos`;
    return part && `${cardinal(over, 'm')} ${part}${over === 1 ? '' : 's'}`;
  },
  date: ({ day, month, year }) =>
    `${day === 1 ? 'primeiro' : cardinal(day)} de ${MONTHS[month - 1]}${year === undefined ? '' : ` de ${cardinal(year)}`}`,
  time: ({ hour, minute }) => {
    const hours = cardinal(hour, 'f');
    if (minute === 0) return `${hours} ${hour === 1 ? 'hora' : 'horas'}`;
    return `${hours} e ${cardinal(minute)}`;
  },
};
