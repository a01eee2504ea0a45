import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { MediaError } from '../../errors.js';
import { Watchdog, type WatchdogLimits } from '../../runtime/watchdog.js';
import { type WorkerLoss, workerLosses } from '../../runtime/worker-loss.js';
import { EspeakFrameReader, encodeFrame } from './ipc-frames.js';
import { type EspeakEvent, EspeakReply, type EspeakRequest } from './protocol.js';

const PACKAGE = '@echogarden/espeak-ng-emscripten';
const PROGRAM = fileURLToPath(new URL('./espeak-program.js', import.meta.url));
/** The start and the longest job take less than 1 s on an idle machine. */
const DEFAULT_LIMITS: WatchdogLimits = { replyTimeoutMs: 10_000, startTimeoutMs: 20_000 };

/** The engine's file, or undefined where the optional package is not installed. */
export function locateEspeak(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    // An optional package may be absent.
    return undefined;
  }
}

/** Called with each stretch of audio; the receiver owns the samples. */
export type OnEspeakAudio = (samples: Int16Array, events: readonly EspeakEvent[]) => void;

interface Job {
  readonly onReply: (reply: EspeakReply, body: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: Error) => void;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Running {
  readonly child: Child;
  readonly watchdog: Watchdog;
}

/**
 * eSpeak NG in a child process: text in, phonemes or samples out. The process starts with the first job;
 * after it died or hung, the next job starts a new one. A loss rejects the pending jobs with WORKER_DIED
 * and is published to `workerLosses`. CPU permits are the caller's task.
 */
export class EspeakProcess {
  readonly #engineFile: string;
  readonly #limits: WatchdogLimits;
  readonly #jobs = new Map<number, Job>();
  #running: Running | undefined;
  #nextId = 1;
  #isClosed = false;

  /**
   * @param engineFile - result of `locateEspeak`
   * @param limits - default: 10 s for a reply and 20 s for the first one
   */
  constructor(engineFile: string, limits: WatchdogLimits = DEFAULT_LIMITS) {
    this.#engineFile = engineFile;
    this.#limits = limits;
  }

  /** Jobs that were sent to the process and are not answered. */
  get pending(): number {
    return this.#jobs.size;
  }

  /** Id of the running process. */
  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /** Speaks a short text; resolves after its last audio. @throws MediaError WORKER_DIED, INTERNAL */
  speak(
    job: { voice: string; text: string; speed: number },
    onAudio: OnEspeakAudio,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const onReply: Job['onReply'] = (reply, body) => {
        if (reply.type === 'audio') onAudio(new Int16Array(body.buffer), reply.events);
        else resolve();
      };
      this.#send({ type: 'speak', ...job }, { onReply, reject });
    });
  }

  /** Returns the phonemes of each clause's words in the engine's notation. @throws MediaError WORKER_DIED, INTERNAL */
  phonemes(
    voice: string,
    clauses: readonly (readonly string[])[],
  ): Promise<readonly (readonly string[])[]> {
    return new Promise((resolve, reject) => {
      const onReply: Job['onReply'] = (reply) => {
        if (reply.type === 'phonemes') resolve(reply.lines);
      };
      this.#send({ type: 'phonemes', voice, clauses }, { onReply, reject });
    });
  }

  /** Returns the words in IPA and in the engine's phoneme mnemonics. @throws MediaError WORKER_DIED, INTERNAL */
  mnemonics(
    voice: string,
    text: string,
  ): Promise<{ readonly ipa: string; readonly mnemonics: string }> {
    return new Promise((resolve, reject) => {
      const onReply: Job['onReply'] = (reply) => {
        if (reply.type === 'mnemonics') resolve(reply);
      };
      this.#send({ type: 'mnemonics', voice, text }, { onReply, reject });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#running?.child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  #send(request: WithoutId<EspeakRequest>, job: Job): void {
    if (this.#isClosed) {
      job.reject(new MediaError('WORKER_DIED', 'The eSpeak process is closed'));
      return;
    }
    const { child, watchdog } = this.#running ?? this.#start();
    const id = this.#nextId++;
    this.#jobs.set(id, job);
    watchdog.start();
    child.stdin.write(encodeFrame({ ...request, id }));
  }

  #start(): Running {
    const child = spawn(process.execPath, [PROGRAM, this.#engineFile], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
    });
    const watchdog = new Watchdog({
      ...this.#limits,
      isBusy: () => this.#jobs.size > 0,
      onHung: () => {
        child.kill('SIGKILL');
        this.#lose(running, 'hung', undefined);
      },
    });
    const running = { child, watchdog };
    const reader = new EspeakFrameReader();
    let fault: unknown;
    child.on('error', (error) => {
      fault = error;
    });
    // A write to a dead process fails; `close` handles its end.
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (bytes: Buffer) => {
      try {
        watchdog.alive(true);
        for (const { head, body } of reader.push(bytes))
          this.#settle(EspeakReply.parse(head), body);
      } catch (error) {
        fault = error;
        child.kill('SIGKILL');
      }
    });
    child.on('close', () => this.#lose(running, 'died', fault));
    this.#running = running;
    return running;
  }

  #lose(running: Running, reason: WorkerLoss['reason'], cause: unknown): void {
    if (this.#running !== running) return;
    this.#running = undefined;
    running.watchdog.stop();
    if (!this.#isClosed) {
      const loss: WorkerLoss = { worker: 'formant', reason, cause };
      workerLosses.publish(loss);
    }
    this.#rejectAll(reason, cause);
  }

  #settle(reply: EspeakReply, body: Uint8Array<ArrayBuffer>): void {
    const job = this.#jobs.get(reply.id);
    if (!job) return;
    if (reply.type !== 'audio') this.#jobs.delete(reply.id);
    if (reply.type === 'failed') job.reject(new MediaError('INTERNAL', reply.message));
    else job.onReply(reply, body);
  }

  #rejectAll(reason: WorkerLoss['reason'], cause: unknown): void {
    const message = reason === 'hung' ? 'The eSpeak process hung' : 'The eSpeak process died';
    for (const { reject } of this.#jobs.values()) {
      reject(new MediaError('WORKER_DIED', message, { cause }));
    }
    this.#jobs.clear();
  }
}
