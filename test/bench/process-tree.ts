import { readdirSync, readFileSync } from 'node:fs';

/** Unit of CPU times on Linux, in ticks per second, in all common builds. Source: proc(5). */
const TICKS_PER_S = 100;

/** Resources used so far by a process and its descendants. */
export interface TreeUsage {
  readonly cpuSeconds: number;
  /** Memory of the process itself, without its descendants. */
  readonly residentBytes: number;
}

/** @throws without /proc, which only Linux has */
export function usageOfTree(pid: number): TreeUsage {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(statOf);
  const wanted = new Set([pid]);
  // A child may precede its parent in the list.
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
    // The program's name is in parentheses and may contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and both of ended children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ id: Number(name), parent: Number(fields[1]), ticks }];
  } catch {
    return []; // the process has just ended
  }
}

function residentBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? Number.NaN);
}
