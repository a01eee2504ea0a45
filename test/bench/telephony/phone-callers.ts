import { readFileSync } from 'node:fs';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { TwilioCall, type TwilioCallOptions } from '../../../tools/simulator/twilio/twilio-call.js';
import { PhoneCaller, type PhoneFigures } from './phone-caller.js';

/** Orders from the bench; the response to each contains the figures so far. */
export type PhoneOrder =
  | {
      readonly type: 'call';
      readonly options: Omit<TwilioCallOptions, 'clock' | 'isRecorded'>;
      readonly breaksIn: boolean;
    }
  | { readonly type: 'hang-up'; readonly count: number }
  | { readonly type: 'report' };

/** The figures, with the reason if a `call` was not answered. */
export interface PhoneAnswer extends PhoneFigures {
  readonly refused?: string;
}

/**
 * A process of callers. Its argument is a file of s16le mono 8 kHz with the question of all
 * callers.
 */
const bytes = readFileSync(process.argv[2] ?? '');
const question = new Int16Array(bytes.length >> 1);
for (let i = 0; i < question.length; i++) question[i] = bytes.readInt16LE(2 * i);
const figures: PhoneFigures = {
  questions: 0,
  answers: 0,
  unanswered: 0,
  gapsMs: [],
  lost: [],
  bargeInMs: [],
  latencyMs: [],
  maxLeadMs: 0,
};
const callers: PhoneCaller[] = [];

process.on('message', async (order: PhoneOrder) => {
  let refused: string | undefined;
  if (order.type === 'call') {
    const call = new TwilioCall({ ...order.options, clock: systemClock, isRecorded: false });
    const caller = new PhoneCaller(call, question, figures);
    try {
      await caller.begin(order);
      callers.push(caller);
    } catch (error) {
      refused = error instanceof Error ? error.message : 'it failed';
    }
  }
  if (order.type === 'hang-up') for (const caller of callers.splice(0, order.count)) caller.close();
  process.send?.({ ...figures, ...(refused !== undefined && { refused }) });
});
process.on('disconnect', () => process.exit(0));
