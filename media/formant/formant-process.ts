import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { MediaError } from '../errors.js';
import { FrameReader, toBytes } from './frames.js';
import type { FormantEvent, FormantReply, FormantRequest } from './protocol.js';

const PACKAGE = '@echogarden/espeak-ng-emscripten';
const PROGRAM = fileURLToPath(new URL('./formant-program.js', import.meta.url));
/** A program that has said nothing for so long is stuck: its start and its longest job take under 1 s. */
const SILENCE_LIMIT_MS = 20_000;

/** The engine's file, or undefined where the optional package is not installed. */
export function locateFormantEngine(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    // An optional package may be absent.
    return undefined;
  }
}

/** Told of each stretch of sound as it comes; the receiver owns the samples. */
export type OnSound = (samples: Int16Array, events: readonly FormantEvent[]) => void;

interface Job {
  readonly onReply: (reply: FormantReply, body: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: Error) => void;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/**
 * The formant engine in a child process of its own: text in, phonemes or samples out. It starts with
 * the first job and again with the first one after its death; a death rejects the jobs that it held
 * with WORKER_DIED. It takes no permit: the owner of a job does that.
 */
export class FormantProcess {
  readonly #engineFile: string;
  readonly #jobs = new Map<number, Job>();
  #child: Child | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isClosed = false;

  /** @param engineFile as `locateFormantEngine` finds it. */
  constructor(engineFile: string) {
    this.#engineFile = engineFile;
  }

  /** Jobs sent and not yet answered. */
  get pending(): number {
    return this.#jobs.size;
  }

  /** The number of the running process, if one runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Speaks a short text; resolves when all its sound has come. @throws MediaError WORKER_DIED, INTERNAL */
  speak(job: { voice: string; text: string; speed: number }, onSound: OnSound): Promise<void> {
    return new Promise((resolve, reject) => {
      const onReply: Job['onReply'] = (reply, body) => {
        if (reply.type === 'sound') onSound(new Int16Array(body.buffer), reply.events);
        else resolve();
      };
      this.#send({ type: 'speak', ...job }, { onReply, reject });
    });
  }

  /** The phonemes of each clause's words, as the engine writes them. @throws MediaError WORKER_DIED, INTERNAL */
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

  /** The words in IPA and in the engine's own phonemes. @throws MediaError WORKER_DIED, INTERNAL */
  sounds(voice: string, text: string): Promise<{ readonly ipa: string; readonly own: string }> {
    return new Promise((resolve, reject) => {
      const onReply: Job['onReply'] = (reply) => {
        if (reply.type === 'sounds') resolve(reply);
      };
      this.#send({ type: 'sounds', voice, text }, { onReply, reject });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  #send(request: WithoutId<FormantRequest>, job: Job): void {
    if (this.#isClosed) {
      job.reject(new MediaError('WORKER_DIED', 'The formant engine is closed'));
      return;
    }
    const child = this.#child ?? this.#start();
    const id = this.#nextId++;
    this.#jobs.set(id, job);
    this.#watch(child);
    child.stdin.write(toBytes({ ...request, id }));
  }

  #start(): Child {
    const child = spawn(process.execPath, [PROGRAM, this.#engineFile], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
    });
    const reader = new FrameReader();
    let fault: unknown;
    child.on('error', (error) => {
      fault = error;
    });
    // The write that finds it dead; its end is told by `close`.
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (bytes: Buffer) => {
      try {
        for (const { head, body } of reader.push(bytes)) this.#settle(head as FormantReply, body);
      } catch (error) {
        fault = error;
        child.kill('SIGKILL');
      }
      this.#watch(child);
    });
    child.on('close', () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      clearTimeout(this.#watchdog);
      this.#rejectAll(fault);
    });
    this.#child = child;
    return child;
  }

  #settle(reply: FormantReply, body: Uint8Array<ArrayBuffer>): void {
    const job = this.#jobs.get(reply.id);
    if (!job) return;
    if (reply.type !== 'sound') this.#jobs.delete(reply.id);
    if (reply.type === 'failed') job.reject(new MediaError('INTERNAL', reply.message));
    else job.onReply(reply, body);
  }

  /** Begins to wait anew while there is something to wait for. */
  #watch(child: Child): void {
    clearTimeout(this.#watchdog);
    if (this.#jobs.size === 0) return;
    this.#watchdog = setTimeout(() => child.kill('SIGKILL'), SILENCE_LIMIT_MS);
  }

  #rejectAll(cause: unknown): void {
    for (const { reject } of this.#jobs.values()) {
      reject(new MediaError('WORKER_DIED', 'The formant engine died', { cause }));
    }
    this.#jobs.clear();
  }
}
