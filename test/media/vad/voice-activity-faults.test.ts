import { afterEach, expect, it } from 'vitest';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { VAD_WINDOW } from '../../../media/vad/voice-activity.js';
import { DIES, HANGS } from '../../support/harness/audio/faulty-samples.js';

const script = new URL('./echoing-vad.worker.js', import.meta.url);
const limits = { replyTimeoutMs: 400, startTimeoutMs: 20_000 };

let vad: SileroVoiceActivity;
let faults: unknown[] = [];
afterEach(() => vad.close());

async function openVad(): Promise<void> {
  faults = [];
  vad = new SileroVoiceActivity({
    folder: '',
    onFault: (error) => faults.push(error),
    script,
    limits,
  });
  await vad.warm();
}

/** A window for which the worker returns `value` as probability. */
function windowOf(value: number): Float32Array {
  return new Float32Array(VAD_WINDOW).fill(value);
}

/** Values that a 32-bit float represents exactly. */
function values(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i + 1) / 1024);
}

it('every stream gets all its windows in order, even if the owner of another one throws', async () => {
  await openVad();
  const outputs: number[][] = [];
  const streams = Array.from({ length: 6 }, (_, i) => {
    const own: number[] = [];
    outputs.push(own);
    return vad.open((probability) => {
      own.push(probability);
      if (i === 2 && own.length % 3 === 1) throw new Error('The owner fails');
    });
  });
  const sent = values(40);
  for (const value of sent) for (const stream of streams) stream.push(windowOf(value));
  await expect.poll(() => outputs.map(({ length }) => length)).toEqual(streams.map(() => 40));
  for (const own of outputs) expect(own).toEqual(sent);
  expect(faults).toHaveLength(14);
});

it('windows beyond the queue limit count as silence in their positions', async () => {
  await openVad();
  const outputs: number[] = [];
  const stream = vad.open((probability) => outputs.push(probability));
  // All at once: two are running, 400 wait, and the oldest of these are dropped.
  const sent = values(450);
  for (const value of sent) stream.push(windowOf(value));
  await expect.poll(() => outputs.length).toBe(450);
  expect(outputs).toEqual(sent.map((value, i) => (i >= 2 && i < 50 ? 0 : value)));
  expect(vad.dropped).toBe(48);
});

it.each([
  ['hangs', HANGS],
  ['dies', DIES],
])(
  'after a worker that %s, the next one continues, with silence for the lost windows',
  async (_, fatal) => {
    await openVad();
    const outputs: number[][] = [[], []];
    const [one, other] = outputs.map((own) => vad.open((probability) => own.push(probability)));
    const sent = values(20);
    for (const [i, value] of sent.entries()) {
      one!.push(windowOf(i === 7 ? fatal : value));
      other!.push(windowOf(value));
    }
    await expect.poll(() => outputs.map(({ length }) => length)).toEqual([20, 20]);
    expect(outputs[0]).toEqual(sent.map((value, i) => (i === 7 ? 0 : value)));
    const lost = sent.filter((value, i) => outputs[1]![i] !== value);
    expect(lost.length).toBeLessThanOrEqual(1);
    expect(faults).toMatchObject([{ code: 'WORKER_DIED' }]);
  },
);
