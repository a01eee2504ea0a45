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
/** The question that every caller repeats. */
export const QUESTION = 'Good morning, how much are twelve red roses?';

/** The common part of all reports. */
interface Report {
  readonly type: 'report';
}

/** The program of the child process. */
interface CallersProgram {
  readonly path: string;
  /** Sample rate of the callers' audio in Hz. */
  readonly sampleRate: number;
}

/** Callers in a child process, so that their CPU time is not counted as the gateway's. */
export class CallersProcess<
  Order extends object = CallersOrder,
  Figures extends CallerFigures = CallerFigures,
> {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Default: callers on the call socket. */
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
      await callers.order({ type: 'report' }); // the program has read the question
      return callers;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Sends one order at a time. @returns the figures so far */
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
