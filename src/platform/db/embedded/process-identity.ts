import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';

/**
 * The start time of a running process, in a format of the operating system. Pids are reused; a pid
 * with a start time identifies one process. `undefined` if the process does not exist or is a zombie.
 */
export function processStart(pid: number): string | undefined {
  if (platform() !== 'linux') {
    const [state, ...start] = ps(pid, 'state=,lstart=').split(/\s+/);
    return state && !state.startsWith('Z') ? start.join(' ') : undefined;
  }
  const stat = readProc(`${pid}/stat`);
  // Source: proc(5): the name in brackets may contain anything; after it, field 3 is the state, 22 the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields[19] || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${bootId()} ${fields[19]}`; // in ticks since boot
}

/** Whether a process with this start time belongs to the running kernel; false if unknown. */
export function isSameBoot(start: string): boolean {
  if (platform() !== 'linux') return false; // start times contain no boot id
  const boot = bootId();
  return boot !== '' && start.startsWith(`${boot} `);
}

/** Equal in all containers of a machine. */
function bootId(): string {
  return readProc('sys/kernel/random/boot_id').trim();
}

/** The command and arguments of a running process, separated by spaces; empty if there is none. */
export function commandLine(pid: number): string {
  if (platform() !== 'linux') return ps(pid, 'args=');
  return readProc(`${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

function ps(pid: number, format: string): string {
  return spawnSync('ps', ['-ww', '-o', format, '-p', String(pid)], {
    encoding: 'utf8',
  }).stdout.trim();
}
