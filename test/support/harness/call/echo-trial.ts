import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import { speechLevel } from '../audio/noise.js';
import { EchoCall, type EchoCallOptions, type EchoPath } from './echo-call.js';

/** Fifty typical sentences of an agent. */
export const SENTENCES: readonly string[] = [
  'How can I help you today?',
  'The shop is open from eight until six.',
  'Your order has been shipped and should arrive on Thursday.',
  'Twelve red roses cost thirty dollars.',
  'Could you tell me your name, please?',
  'I have found three flights that leave tomorrow morning.',
  'Unfortunately this item is out of stock at the moment.',
  'Please hold the line while I look that up for you.',
  'Your appointment is on Monday at half past nine.',
  'Delivery within the city costs five dollars.',
  'I can offer you a table by the window.',
  'The invoice was sent to your e-mail address last week.',
  'We accept cash and all common cards.',
  'Would you like me to repeat that?',
  'The technician will call you before he comes.',
  'Your room is on the second floor, next to the lift.',
  'That is a very good question.',
  'The museum is closed on public holidays.',
  'I have changed your booking to four people.',
  'You can park behind the building for free.',
  'The concert begins at a quarter to eight.',
  'Let me check whether that is still possible.',
  'Our gardener teaches a class about orchids every second Tuesday.',
  'The train to the airport leaves every twenty minutes.',
  'Your insurance covers water damage in the kitchen.',
  'I am sorry that you had to wait so long.',
  'The warranty lasts for two years from the day of purchase.',
  'Please press the button until the green light comes on.',
  'There are still two seats left in the front row.',
  'The doctor can see you at ten past eleven.',
  'Your password has been reset, so you can sign in again.',
  'We are looking for a quiet place with a view of the lake.',
  'The soup of the day is carrot and ginger.',
  'Breakfast is served between seven and ten.',
  'My colleague will send you the documents this afternoon.',
  'The price includes tax and shipping.',
  'You may cancel up to one day before you arrive.',
  'Both sizes are available in blue and grey.',
  'The nearest branch is on Station Road.',
  'I have made a note of your wishes.',
  'The update takes about five minutes.',
  'Is there anything else that I can do for you?',
  'Your balance is one hundred and forty dollars.',
  'The meeting has been moved to the large room.',
  'Children under six travel free of charge.',
  'The library keeps your book until Friday evening.',
  'We do not deliver on Sundays.',
  'The pool is heated from May to September.',
  'You will get a message when your car is ready.',
  'Thank you for calling, and have a nice day.',
];

const DELAYS_MS = [60, 120, 180, 250, 330, 400];
const LEVELS_DB = [-15, -25];

/** Cycles through all combinations of level and delay. */
function pathOf(index: number): EchoPath {
  return {
    levelDb: LEVELS_DB[index % 2]!,
    delayMs: DELAYS_MS[Math.floor(index / 2) % DELAYS_MS.length]!,
  };
}

/** The speech slowed down to a deeper voice, at `levelDb` relative to the agent's voice. */
export function otherVoice(speech: Float32Array, levelDb: number): Float32Array<ArrayBuffer> {
  const parts: Float32Array[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  const resampler = new Resampler(16_000, 20_000);
  resampler.push(speech, keep);
  resampler.flush(keep);
  const slow = concat(Float32Array, parts);
  const gain = (speechLevel(speech) / speechLevel(slow)) * 10 ** (levelDb / 20);
  return slow.map((sample) => sample * gain);
}

export interface EchoFigures {
  readonly sentences: number;
  readonly falseCuts: number;
  readonly falsePauses: number;
}

/** Counts interruptions while nobody speaks: all are caused by the agent's echo. */
export async function countFalseCuts(
  options: EchoCallOptions,
  sentences: readonly string[],
): Promise<EchoFigures> {
  const call = new EchoCall(options);
  let [falseCuts, falsePauses] = [0, 0];
  for (const [i, sentence] of sentences.entries()) {
    const { cuts, pauses } = await call.say(sentence, pathOf(i));
    falseCuts += cuts;
    falsePauses += pauses;
  }
  call.close();
  return { sentences: sentences.length, falseCuts, falsePauses };
}

/** Counts the sentences whose interruption stops the agent. */
export async function countInterrupted(
  options: EchoCallOptions,
  sentences: readonly string[],
  interruptions: readonly Float32Array[],
): Promise<number> {
  const call = new EchoCall(options);
  let caught = 0;
  for (const [i, sentence] of sentences.entries()) {
    const speech = interruptions[i % interruptions.length]!;
    const { cuts } = await call.say(sentence, pathOf(i), { speech, afterMs: 200 + (i % 7) * 100 });
    caught += cuts > 0 ? 1 : 0;
  }
  call.close();
  return caught;
}
