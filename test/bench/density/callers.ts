import { readFileSync } from 'node:fs';
import type { ConnectionDetails } from '../../support/harness/call/call-client.js';
import { type CallerFigures, LightCaller } from './light-caller.js';

const FRAME_MS = 20;
/** Callers are not synchronous: each has one of five offsets within a frame. */
const PLACES = 5;
const FRAME_BYTES = 640;

/** Orders from the bench; the response to each contains the figures so far. */
export type CallersOrder =
  | { readonly type: 'call'; readonly details: ConnectionDetails }
  | { readonly type: 'hang-up'; readonly count: number }
  | { readonly type: 'report' };

/** The argument of this process: a file of s16le mono 16 kHz with the question of all callers. */
const pcm = readFileSync(process.argv[2] ?? '');
const question: Buffer[] = [];
for (let at = 0; at + FRAME_BYTES <= pcm.length; at += FRAME_BYTES) {
  question.push(pcm.subarray(at, at + FRAME_BYTES));
}
const figures: CallerFigures = { questions: 0, answers: 0, unanswered: 0, gapsMs: [], lost: [] };
const callers: LightCaller[] = [];
const startedAt = performance.now();
let ticks = 0;

setInterval(() => {
  const now = performance.now();
  for (; (ticks * FRAME_MS) / PLACES < now - startedAt; ticks++) {
    for (let i = ticks % PLACES; i < callers.length; i += PLACES) callers[i]!.tick(now);
  }
}, FRAME_MS / PLACES);

process.on('message', (order: CallersOrder) => {
  if (order.type === 'call') callers.push(new LightCaller(order.details, question, figures));
  if (order.type === 'hang-up') for (const caller of callers.splice(0, order.count)) caller.close();
  process.send?.(figures);
});
process.on('disconnect', () => process.exit(0));
