import { toCardinal } from 'n2words/pl-PL';
import type { Gender } from '../rules/grammar.js';

/**
 * Only a number that is one is "jedna" or "jedno"; every one that ends in two is "dwie" before
 * feminine nouns (Source: CLDR rbnf/pl.xml, spellout-cardinal-feminine and -neuter).
 */
export function cardinal(value: number, gender: Gender = 'm'): string {
  if (value === 0) return 'zero';
  if (value === 1) return { m: 'jeden', f: 'jedna', n: 'jedno' }[gender];
  const words = toCardinal(value);
  return gender === 'f' ? words.replace(/(^| )dwa$/, '$1dwie') : words;
}

const ONES =
  ' jednego dwóch trzech czterech pięciu sześciu siedmiu ośmiu dziewięciu dziesięciu jedenastu dwunastu trzynastu czternastu piętnastu szesnastu siedemnastu osiemnastu dziewiętnastu'.split(
    ' ',
  );
const TENS =
  '  dwudziestu trzydziestu czterdziestu pięćdziesięciu sześćdziesięciu siedemdziesięciu osiemdziesięciu dziewięćdziesięciu'.split(
    ' ',
  );
const HUNDREDS =
  ' stu dwustu trzystu czterystu pięciuset sześciuset siedmiuset ośmiuset dziewięciuset'.split(' ');

/** The genitive below 1,000,000 (Source: Słownik języka polskiego PWN, liczebniki). */
export function genitive(value: number, gender: Gender = 'm'): string | undefined {
  if (value === 0) return 'zera';
  if (value >= 1e6) return undefined;
  if (value === 1) return gender === 'f' ? 'jednej' : 'jednego';
  if (value >= 1000) {
    const thousands = Math.floor(value / 1000);
    const head = thousands === 1 ? 'tysiąca' : `${genitive(thousands)} tysięcy`;
    return value % 1000 === 0 ? head : `${head} ${genitive(value % 1000, gender)}`;
  }
  const rest = value % 100;
  const words = [HUNDREDS[Math.floor(value / 100)]!];
  if (rest < 20) words.push(ONES[rest]!);
  else words.push(TENS[Math.floor(rest / 10)]!, ONES[rest % 10]!);
  const said = words.filter(Boolean).join(' ');
  // Compounds keep "jeden"
  return said.replace(/ jednego$/, ' jeden');
}

/** Stems of the ordinals; a soft ending (trzeci, drugi) is marked by its last letter. */
const FIRST =
  'zerow pierwsz drug trzec czwart piąt szóst siódm ósm dziewiąt dziesiąt jedenast dwunast trzynast czternast piętnast szesnast siedemnast osiemnast dziewiętnast'.split(
    ' ',
  );
const TENTHS =
  '  dwudziest trzydziest czterdziest pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt'.split(
    ' ',
  );
const HUNDREDTHS =
  ' setn dwusetn trzechsetn czterechsetn pięćsetn sześćsetn siedemsetn osiemsetn dziewięćsetn'.split(
    ' ',
  );

const ENDINGS = {
  masculine: ['y', 'i', 'i'],
  genitive: ['ego', 'iego', 'iego'],
  locative: ['ym', 'im', 'im'],
  feminine: ['a', 'a', 'ia'],
  'feminine-oblique': ['ej', 'iej', 'iej'],
  neuter: ['e', 'ie', 'ie'],
  plural: ['e', 'ie', 'ie'],
  'plural-genitive': ['ych', 'ich', 'ich'],
} as const;

export type OrdinalForm = keyof typeof ENDINGS;

/** Tens and ones are both ordinals, what stands before them is not (Source: PWN, liczebniki porządkowe). */
export function ordinal(value: number, form: OrdinalForm = 'masculine'): string {
  const [hard, afterG, afterC] = ENDINGS[form];
  const withEnding = (stem: string) => {
    if (stem.endsWith('g')) return stem + afterG;
    return stem + (stem.endsWith('trzec') ? afterC : hard);
  };
  if (value % 1000 === 0 && value > 0) return withEnding(thousandth(value / 1000));
  const rest = value % 100;
  if (rest === 0 && value > 0) {
    const head = value - (value % 1000);
    const hundredth = withEnding(HUNDREDTHS[(value % 1000) / 100]!);
    return head > 0 ? `${cardinal(head)} ${hundredth}` : hundredth;
  }
  const words = value > 99 ? [cardinal(value - rest)] : [];
  if (rest < 20) words.push(withEnding(FIRST[rest]!));
  else {
    words.push(withEnding(TENTHS[Math.floor(rest / 10)]!));
    if (rest % 10 > 0) words.push(withEnding(FIRST[rest % 10]!));
  }
  return words.join(' ');
}

/** "dwutysięczn" of 2. */
function thousandth(thousands: number): string {
  if (thousands === 1) return 'tysięczn';
  const prefix = thousands === 2 ? 'dwu' : (genitive(thousands) ?? '').replaceAll(' ', '');
  return `${prefix}tysięczn`;
}
