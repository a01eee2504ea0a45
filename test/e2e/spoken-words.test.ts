import { afterAll, beforeAll, expect, it } from 'vitest';
import { toFloat32 } from '../../media/audio/pcm.js';
import { ModelStore } from '../../media/models/store.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../media/stt/moonshine-speech-to-text.js';
import { modelFolders } from '../../src/config/model-folders.js';
import { MODEL_ADVICE } from '../../src/platform/process/models-command.js';
import { wordErrors } from '../support/harness/audio/word-errors.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

/** Written sentences with their usual spoken form. */
const SENTENCES: readonly (readonly [written: string, said: string])[] = [
  ['Good morning everyone.', 'good morning everyone'],
  [
    'Our office opens at nine in the morning and closes at six.',
    'our office opens at nine in the morning and closes at six',
  ],
  ['Your order costs $42.50.', 'your order costs forty two dollars and fifty cents'],
  ['The meeting starts at 3:30 p.m. on Monday.', 'the meeting starts at three thirty pm on monday'],
  ['She was born on March 21, 1984.', 'she was born on march twenty first nineteen eighty four'],
  [
    'Mr. Smith paid $1,250 for the chair.',
    'mr smith paid one thousand two hundred fifty dollars for the chair',
  ],
  [
    'About 75% of our customers live in Chicago.',
    'about seventy five percent of our customers live in chicago',
  ],
  ['Dr. Brown will see you in room 12.', 'dr brown will see you in room twelve'],
  ['The train to Boston leaves at 9:15.', 'the train to boston leaves at nine fifteen'],
  ['We sold 3.5 million tickets last year.', 'we sold three point five million tickets last year'],
  ['It is the 2nd of January.', 'it is the second of january'],
  [
    'Elizabeth and Michael moved to Germany in 2019.',
    'elizabeth and michael moved to germany in twenty nineteen',
  ],
  ["Please call me back before 5 o'clock.", 'please call me back before five o clock'],
  ['The bill comes to $99.', 'the bill comes to ninety nine dollars'],
  ['There are 365 days in a year.', 'there are three hundred sixty five days in a year'],
  ['His flight lands in Paris on July 4th.', 'his flight lands in paris on july fourth'],
  [
    'I would like a table for 4 people at 8 p.m.',
    'i would like a table for four people at eight pm',
  ],
  ['The temperature fell to 15 degrees.', 'the temperature fell to fifteen degrees'],
  ['Professor Johnson teaches history in London.', 'professor johnson teaches history in london'],
  [
    'You will get a refund of $12.99 within 7 days.',
    'you will get a refund of twelve dollars and ninety nine cents within seven days',
  ],
  ['The company was founded in 1998.', 'the company was founded in nineteen ninety eight'],
  ['Maria has two brothers, David and Thomas.', 'maria has two brothers david and thomas'],
  ['Take the 3rd street on the left.', 'take the third street on the left'],
  [
    'More than 10,000 people came to the concert.',
    'more than ten thousand people came to the concert',
  ],
  [
    'The prices went up by 2.5% in October.',
    'the prices went up by two point five percent in october',
  ],
  [
    'Your appointment is on Wednesday, August 16th.',
    'your appointment is on wednesday august sixteenth',
  ],
  ['Robert drives 60 miles to work every day.', 'robert drives sixty miles to work every day'],
  [
    'The hotel has 48 rooms and a small garden.',
    'the hotel has forty eight rooms and a small garden',
  ],
  [
    'Can you send $500 to Sarah before Friday?',
    'can you send five hundred dollars to sarah before friday',
  ],
  ['Thank you for calling, and have a nice day.', 'thank you for calling and have a nice day'],
];
const MAX_WORD_ERRORS = 0.1;

let product: Product;
let recogniser: MoonshineSpeechToText;

beforeAll(async () => {
  product = await startProduct();
  const modelStore = new ModelStore({ ...modelFolders(process.env), advice: MODEL_ADVICE });
  recogniser = new MoonshineSpeechToText({
    id: 'moonshine-tiny-en',
    folder: await modelStore.require('moonshine-tiny-en'),
    scheduler: new CpuScheduler(1),
  });
});
afterAll(async () => {
  await recogniser?.close();
  await product?.stop();
});

async function speak(text: string): Promise<Float32Array> {
  const response = await fetch(`${product.url}/api/v1/tts/speech/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, audio_format: 'pcm_16000' }),
  });
  expect(response.status).toBe(200);
  const pcm = new Int16Array(await response.arrayBuffer());
  const samples = new Float32Array(pcm.length);
  toFloat32(pcm, samples);
  return samples;
}

it('numbers, names, dates and money are transcribed with a word error rate of at most 10 %', async () => {
  let errors = 0;
  let words = 0;
  const mistranscribed: string[] = [];
  for (const [written, said] of SENTENCES) {
    const options = { priority: 'background' } as const;
    const { text: transcript } = await recogniser.transcribe(await speak(written), options);
    const found = wordErrors(said, transcript);
    errors += found.errors;
    words += found.words;
    if (found.errors > 0) mistranscribed.push(`${found.errors} in ${said} | ${transcript}`);
  }
  expect(SENTENCES.length).toBe(30);
  expect(errors / words, mistranscribed.join('\n')).toBeLessThanOrEqual(MAX_WORD_ERRORS);
});
