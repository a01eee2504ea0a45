import { readdirSync, readFileSync } from 'node:fs';

/** Of the clock in which Linux counts CPU time, in every build for common machines. Source: proc(5). */
const TICKS_PER_S = 100;

/** What a process and everything that it started have used so far. */
export interface TreeUsage {
  readonly cpuSeconds: number;
  /** Of the process itself, without what it started. */
  readonly residentBytes: number;
}

/** @throws where there is no /proc: Linux only. */
export function usageOfTree(pid: number): TreeUsage {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(statOf);
  const wanted = new Set([pid]);
  // A child may stand before its parent in the list.
  for (let size = 0; size !== wanted.size; ) {
    size = wanted.size;
    for (const { id, parent } of processes) if (wanted.has(parent)) wanted.add(id);
  }
  let ticks = 0;
  for (const { id, ticks: own } of processes) if (wanted.has(id)) ticks += own;
  return { cpuSeconds: ticks / TICKS_PER_S, residentBytes: residentBytes(pid) };
}

function statOf(name: string) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The program's name stands in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and both of children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ id: Number(name), parent: Number(fields[1]), ticks }];
  } catch {
    return []; // it has just ended
  }
}

function residentBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? Number.NaN);
}
