import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Maximum number of characters kept from a program's output: its end, where errors are. */
const KEPT_CHARACTERS = 64 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program until it exits. With `show` its output is inherited; without, the end of the
 * output is returned. A signal to this process is forwarded once, and ends this process after the
 * program.
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

/** Running programs. One listener per signal serves all of them. */
const children = new Set();
/** The first signal that this process received while programs were running. */
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
