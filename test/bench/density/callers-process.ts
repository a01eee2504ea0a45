import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CpuPermits } from '../../../media/inference/cpu-permits.js';
import { toInt16 } from '../../../media/pcm.js';
import { Speaker } from '../../support/spoken.js';
import type { CallersOrder } from './callers.js';
import type { CallerFigures } from './light-caller.js';

const CALLERS = fileURLToPath(new URL('./callers.js', import.meta.url));
/** What every caller asks, again and again. */
export const QUESTION = 'Good morning, how much are twelve red roses?';

/** Callers in a process of their own, so that what they cost is not the gateway's. */
export class CallersProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<CallersProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-callers-'));
    try {
      const file = join(folder, 'question.pcm');
      await writeFile(file, await spokenQuestion());
      const callers = new CallersProcess(fork(CALLERS, [file]));
      await callers.order({ type: 'report' }); // it has read the question
      return callers;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** One at a time. @returns what the callers have met with so far. */
  async order(what: CallersOrder): Promise<CallerFigures> {
    const answer = once(this.#child, 'message');
    this.#child.send(what);
    return (await answer)[0] as CallerFigures;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

async function spokenQuestion(): Promise<Uint8Array> {
  const speaker = new Speaker(new CpuPermits(1));
  try {
    const samples = await speaker.say(QUESTION);
    const pcm = new Int16Array(samples.length);
    toInt16(samples, pcm);
    return new Uint8Array(pcm.buffer);
  } finally {
    await speaker.close();
  }
}
