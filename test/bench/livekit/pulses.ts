import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Duration of a tone and interval between two tones, in milliseconds. */
export const PULSE_MS = 60;
export const PULSE_EVERY_MS = 900;

const PROGRAM = fileURLToPath(new URL('./pulse-program.js', import.meta.url));

/** A participant that sends tones and measures their echoes, or one that echoes them. */
export class PulseParticipant {
  /** Time from each tone to its echo in milliseconds. */
  readonly roundTripsMs: number[] = [];
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;

  constructor(part: 'pulse' | 'echo', url: string, token: string) {
    this.#child = fork(PROGRAM, [part, url, token], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message: { type: 'ready' | 'heard'; ms: number }) => {
        if (message.type === 'ready') resolve();
        else this.roundTripsMs.push(message.ms);
      });
      this.#child.once('exit', () => reject(new Error('a participant of the bench ended')));
    });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await exited;
  }
}
