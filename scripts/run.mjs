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
  forwardSignalsTo(child);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(127);
    });
    child.once('close', (status, signal) => resolve(status ?? 128 + constants.signals[signal]));
  });
  stopForwardingTo(child);
  if (received) process.exit(128 + constants.signals[received]);
  return { code, output };
}

/** Programs that run now. One listener per signal serves them all. */
const children = new Set();
/** The first signal that this process received while programs ran. */
let received;

function forwardSignalsTo(child) {
  if (children.size === 0) for (const signal of SIGNALS) process.on(signal, forward);
  children.add(child);
}

function stopForwardingTo(child) {
  children.delete(child);
  if (children.size === 0) for (const signal of SIGNALS) process.off(signal, forward);
}

function forward(signal) {
  if (received) return;
  received = signal;
  // On a terminal, Ctrl-C reaches the children directly.
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  for (const child of children) child.kill(signal);
}
