import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { resampleToPcm } from '../../../tools/simulator/wav-file.js';
import { SpeechSynthesiser } from '../../support/harness/audio/synthesised-speech.js';
import type { CallersOrder } from './callers.js';
import type { CallerFigures } from './light-caller.js';

const CALLERS = fileURLToPath(new URL('./callers.js', import.meta.url));
/** What every caller asks, again and again. */
export const QUESTION = 'Good morning, how much are twelve red roses?';

/** Every program of callers answers it. */
interface Report {
  readonly type: 'report';
}

/** What runs in the process of callers. */
interface CallersProgram {
  readonly path: string;
  /** Of the callers' wire, Hz. */
  readonly sampleRate: number;
}

/** Callers in a process of their own, so that what they cost is not the gateway's. */
export class CallersProcess<
  Order extends object = CallersOrder,
  Figures extends CallerFigures = CallerFigures,
> {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** By default callers on the call socket. */
  static async start<
    Order extends object = CallersOrder,
    Figures extends CallerFigures = CallerFigures,
  >(
    { path, sampleRate }: CallersProgram = { path: CALLERS, sampleRate: 16_000 },
  ): Promise<CallersProcess<Order | Report, Figures>> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-callers-'));
    try {
      const file = join(folder, 'question.pcm');
      await writeFile(file, await spokenQuestion(sampleRate));
      const callers = new CallersProcess<Order | Report, Figures>(fork(path, [file]));
      await callers.order({ type: 'report' }); // it has read the question
      return callers;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** One at a time. @returns what the callers have met with so far. */
  async order(what: Order): Promise<Figures> {
    const answer = once(this.#child, 'message');
    this.#child.send(what);
    return (await answer)[0] as Figures;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

async function spokenQuestion(sampleRate: number): Promise<Uint8Array> {
  const speaker = new SpeechSynthesiser(new CpuScheduler(1));
  try {
    const samples = await speaker.say(QUESTION);
    const pcm = resampleToPcm(samples, 16_000, sampleRate);
    return new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  } finally {
    await speaker.close();
  }
}
