import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';

/**
 * When a running process began, in its system's own words: with the pid it names one process for
 * ever, as pids are used again. Absent when there is no such process, or only its exit status.
 */
export function processStart(pid: number): string | undefined {
  if (platform() !== 'linux') {
    const [state, ...start] = ps(pid, 'state=,lstart=').split(/\s+/);
    return state && !state.startsWith('Z') ? start.join(' ') : undefined;
  }
  const stat = readProc(`${pid}/stat`);
  // Source: proc(5): the name in brackets may hold anything; then field 3 is the state, 22 the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields[19] || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${bootId()} ${fields[19]}`; // in ticks since boot
}

/** Whether a process with this start, dead or alive, is or was one of the kernel that runs now. */
export function isSameBoot(start: string): boolean {
  if (platform() !== 'linux') return false; // its starts do not say
  const boot = bootId();
  return boot !== '' && start.startsWith(`${boot} `);
}

/** The same in all containers of a machine. */
function bootId(): string {
  return readProc('sys/kernel/random/boot_id').trim();
}

/** The command and the arguments of a running process, with a blank between them; else empty. */
export function commandLine(pid: number): string {
  if (platform() !== 'linux') return ps(pid, 'args=');
  return readProc(`${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return ''; // it ended, at the latest while we looked
  }
}

function ps(pid: number, format: string): string {
  return spawnSync('ps', ['-ww', '-o', format, '-p', String(pid)], {
    encoding: 'utf8',
  }).stdout.trim();
}
