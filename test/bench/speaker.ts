import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Duration of one synthesis. */
export interface Spoken {
  readonly firstAudioMs: number;
  readonly totalMs: number;
  readonly audioSeconds: number;
}

/** Speaks a text and measures its duration. */
export interface Speaker {
  readonly name: string;
  speak(text: string): Promise<Spoken>;
  close(): Promise<void>;
}

/**
 * Starts a peer's program. It answers each input line (a text as JSON) with a line of times; its
 * first line reports that its voice is loaded.
 */
export async function startPeer(
  name: string,
  command: string,
  args: readonly string[],
): Promise<Speaker> {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  });
  const lines = linesOf(name, child);
  await lines.next();
  return {
    name,
    speak: async (text) => {
      child.stdin.write(`${JSON.stringify(text)}\n`);
      return (await lines.next()) as Spoken;
    },
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

function linesOf(
  name: string,
  child: ChildProcessWithoutNullStreams,
): { next(): Promise<unknown> } {
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async () => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${name} ended: ${stderr}`);
        // Native libraries also print to standard output.
        if (value.startsWith('{')) return JSON.parse(value);
      }
    },
  };
}
