import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** What is kept of a program's output: its end, where errors are. */
const KEPT_CHARACTERS = 64 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end. With `show` its output goes straight to ours; without, its end is kept
 * and given back. A signal for us is handed on once, and ends us too when the program has gone.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{show?: boolean, env?: NodeJS.ProcessEnv, cwd?: string}} [options]
 * @returns {Promise<{code: number, output: string}>} code 127: there is no such program
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: options.show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
    });
  }
  const handed = handOnSignals(child);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(127);
    });
    child.once('close', (status, signal) => resolve(status ?? 128 + constants.signals[signal]));
  });
  const signal = handed();
  if (signal) process.exit(128 + constants.signals[signal]);
  return { code, output };
}

/** Hands the first signal on; the function that it returns stops that and tells which one came. */
function handOnSignals(child) {
  let received;
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      // Ctrl-C on a terminal reaches the child by itself.
      if (!received && !(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
      received ??= signal;
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stop of listeners) stop();
    return received;
  };
}
