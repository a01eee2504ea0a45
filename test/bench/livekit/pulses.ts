import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Duration of a tone and interval between two tones, in milliseconds. */
export const PULSE_MS = 60;
export const PULSE_EVERY_MS = 900;

const PROGRAM = fileURLToPath(new URL('./pulse-program.js', import.meta.url));

/** A participant that sends tones and measures their echoes, or one that echoes them. */
export class PulseGuest {
  /** Time from each tone to its echo in milliseconds. */
  readonly heardMs: number[] = [];
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;

  constructor(part: 'pulse' | 'echo', url: string, token: string) {
    this.#child = fork(PROGRAM, [part, url, token], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.on('message', (told: { type: 'ready' | 'heard'; ms: number }) => {
        if (told.type === 'ready') resolve();
        else this.heardMs.push(told.ms);
      });
      this.#child.once('exit', () => reject(new Error('a participant of the bench ended')));
    });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}
