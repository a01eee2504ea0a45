import { beforeAll, describe, expect, it } from 'vitest';
import { englishNormaliser } from '../../../../../media/text/normalise/english/english-normaliser.js';
import {
  type EnglishAssets,
  loadEnglishAssets,
} from '../../../../../media/tts/english-g2p/assets.js';
import { ENGLISH_VOICE } from '../../../../support/harness/audio/english-front-end.js';

let assets: EnglishAssets;

beforeAll(async () => {
  assets = await loadEnglishAssets(ENGLISH_VOICE, 'us');
});

/** The spoken text, with spelled letters in ‹› and the decimal point as "point". */
function said(written: string, dialect: 'us' | 'gb' = 'us'): string {
  const { text } = englishNormaliser(assets.normaliser, dialect).normalise(written);
  return text.replaceAll('\ue02e', 'point').replace(/[\ue021-\ue07e]+/g, (letters) => {
    const plain = Array.from(letters, (c) => String.fromCharCode(c.charCodeAt(0) - 0xe000));
    return `‹${plain.join('')}›`;
  });
}

type Row = readonly [written: string, spoken: string];
const ROWS: readonly (readonly [kind: string, rows: readonly Row[]])[] = [
  [
    'numbers',
    [
      ['1,234,567', 'one million two hundred thirty four thousand five hundred sixty seven'],
      ['0', 'zero'],
      ['10000', 'ten thousand'],
      ['-3 or −0.25', 'minus three or minus zero point two five'],
      ['3.10', 'three point one zero'],
      ['.5', 'point five'],
      ['1st, 22nd and 1,000th', 'first, twenty second and one thousandth'],
      ['4155550123', 'four one five five five five zero one two three'],
      ['007', 'zero zero seven'],
      ['pages 10-12', 'pages ten to twelve'],
      ['a 50-50 chance', 'a fifty fifty chance'],
      ['a 10-year-old, a 2-for-1 deal', 'a ten year old, a two for one deal'],
      ['1/2, 2 1/2, 7/8', 'one half, two and one half, seven eighths'],
      ['10 - 3 = 7', 'ten minus three equals seven'],
      ['24/7.', 'twenty-four seven.'],
      ['٣٤', 'thirty four'],
    ],
  ],
  [
    'years and dates',
    [
      [
        '1999, 1905, 2000, 2005, 2024',
        'nineteen ninety nine, nineteen oh five, two thousand, two thousand five, twenty twenty four',
      ],
      ["the 1960s, '60s and mid-90s", 'the nineteen sixties, sixties and mid-nineties'],
      ['3/4/2025', 'March fourth, twenty twenty five'],
      ['2024-02-29', 'February twenty-ninth, twenty twenty four'],
      ['31.12.1999', 'December thirty-first, nineteen ninety nine'],
      ['Jan. 5th, 1999', 'January fifth, nineteen ninety nine'],
      ['5 May 1980', 'the fifth of May nineteen eighty'],
      ['99/99/2020', 'ninety nine/ninety nine/twenty twenty'],
      ['Mon-Fri', 'Monday to Friday'],
    ],
  ],
  [
    'times',
    [
      ['7:30 pm', 'seven thirty ‹PM›'],
      ['9 a.m. to 5 p.m.', 'nine ‹AM› to five ‹PM›.'],
      ['9am-5pm, 9:00-17:30', "nine ‹AM› to five ‹PM›, nine o'clock to seventeen thirty"],
      ['6:05am', 'six oh five ‹AM›'],
      ['1:02:03', 'one oh two and three seconds'],
      ['a ratio of 3:1', 'a ratio of three to one'],
      ['3h 20m', 'three hours twenty minutes'],
    ],
  ],
  [
    'money',
    [
      ['$3.50', 'three dollars and fifty cents'],
      ['$3.5', 'three dollars and fifty cents'],
      ['$1', 'one dollar'],
      ['$0.01', 'one cent'],
      ['£5.99', 'five pounds and ninety nine pence'],
      ['€1,50', 'one euro and fifty cents'],
      ['$1,299.00', 'one thousand two hundred ninety nine dollars'],
      ['$1.5 million, $10k', 'one point five million dollars, ten thousand dollars'],
      ['US$20, 20 USD, 5€, 50¢', 'twenty dollars, twenty dollars, five euros, fifty cents'],
    ],
  ],
  [
    'measures',
    [
      ['5km, 1 kg, 60 mph', 'five kilometers, one kilogram, sixty miles per hour'],
      ['1 s, 90 s; the 90s', 'one second, ninety seconds; the nineties'],
      ['-5°C', 'minus five degrees Celsius'],
      ['99.9%', 'ninety nine point nine percent'],
      ['5\'11"', 'five foot eleven'],
      ['6 ft 2 in', 'six feet two inches'],
    ],
  ],
  [
    'numbers that are names',
    [
      ['555-1234', 'five five five, one two three four'],
      ['+1 (555) 123-4567', 'plus one, five five five, one two three, four five six seven'],
      ['020 7946 0958', 'zero two zero, seven nine four six, zero nine five eight'],
      ['1-800-FLOWERS', 'one, eight hundred, FLOWERS'],
      ['Your code is 4821.', 'Your code is four eight two one.'],
      ['PIN 0042', 'PIN zero zero four two'],
      ['Springfield, IL 62704', 'Springfield, IL six two seven zero four'],
      ['123-45-6789', 'one two three, four five, six seven eight nine'],
      [
        '4111 1111 1111 1111',
        'four one one one, one one one one, one one one one, one one one one',
      ],
      ['Room 101', 'Room one oh one'],
      ['F-16, A380, MP3, H2O, B2B', 'F sixteen, A three eighty, MP three, H two O, B to B'],
      ['v2.0, 1.2.3', 'v two point zero, one dot two dot three'],
      ['192.168.1.1', 'one ninety two dot one sixty eight dot one dot one'],
    ],
  ],
  [
    'addresses',
    [
      ['anna_k@mail.example.co.uk', 'anna underscore ‹K› at mail dot example dot co dot ‹U› ‹K›'],
      ['See https://example.com/a.', 'See example dot com slash ‹A›.'],
      ['node.js', 'node dot JS'],
      ['No end.then', 'No end.then'],
    ],
  ],
  [
    'abbreviations',
    [
      ['Dr. Smith of 12 Oak Dr.', 'Dr Smith of twelve Oak Drive'],
      ["St. Mary's on Main St.", "Saint Mary's on Main Street."],
      ['3rd St. NW', 'third Street NW'],
      ['Louis XIV, World War II', 'Louis the fourteenth, World War two'],
      ['No. 5, #7', 'Number five, number seven'],
      ['e.g. approx. ext. 12', 'for example approximately extension twelve'],
      ['I <3 you', 'I you'],
    ],
  ],
];

describe.each(ROWS)('English: %s', (_, rows) => {
  it.each(rows)('speaks "%s" as "%s"', (written, spoken) => {
    expect(said(written)).toBe(spoken);
  });
});

it('leaves no digit in any context', () => {
  for (const text of ['a1b2c3', '1a2.3b4,5:6/7', '१२३', '²³½', '1٬000', '0x1F', '1e5', '#1!2?3']) {
    expect(said(text)).not.toMatch(/\p{Nd}/u);
  }
});

it('reads British dates with the day first and British numbers with "and"', () => {
  expect(said('3/4/2025', 'gb')).toBe('April third, twenty twenty five');
  expect(said('101 or 2,005 or 1,500', 'gb')).toBe(
    'one hundred and one or two thousand and five or one thousand five hundred',
  );
});
