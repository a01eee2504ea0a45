import type { CallEvent } from '../../contract/transport.js';
import type { Difference } from './diff.js';
import type { ObservedEffect, ReplayLine } from './replay-format.js';

/** One line of text for each effect, without interim transcripts. */
export function timeline(effects: readonly ObservedEffect[]): readonly string[] {
  return effects
    .filter(({ type }) => type !== 'turn')
    .flatMap((effect) => {
      if (effect.type === 'event' && isInterim(effect.event)) return [];
      return [lineOf(effect)];
    });
}

/** `-`: as recorded; `+`: in the replay. */
export function diffLines(differences: readonly Difference[]): readonly string[] {
  return differences.flatMap((difference) => [
    ...('recorded' in difference ? [`- ${lineOf(difference.recorded)}`] : []),
    ...('replayed' in difference ? [`+ ${lineOf(difference.replayed)}`] : []),
  ]);
}

/** When a turn of the caller ended and was committed, ms of call time. */
export interface TurnEnd {
  readonly text: string;
  /** The last sample of its speech. */
  readonly speechEndMs: number;
  readonly committedMs: number;
}

/** The caller's turns, without those that were retracted or merged into another. */
export function turnEnds(effects: readonly ObservedEffect[]): readonly TurnEnd[] {
  const ends = new Map<string, TurnEnd>();
  for (const effect of effects) {
    if (effect.type !== 'event' || effect.event.type !== 'transcript') continue;
    const { role, final, segment, text, endMs } = effect.event;
    if (role !== 'user' || !final) continue;
    if (text === '') ends.delete(segment);
    else ends.set(segment, { text, speechEndMs: endMs, committedMs: effect.t });
  }
  return [...ends.values()];
}

/** The turns of the recorded and of the replayed call, by time. */
export function turnEndLines(
  recorded: readonly TurnEnd[],
  replayed: readonly TurnEnd[],
): readonly string[] {
  const row = (mark: string, { speechEndMs, committedMs, text }: TurnEnd) =>
    `${mark} speech ended ${seconds(speechEndMs)}, taken after ${String(Math.round(committedMs - speechEndMs)).padStart(5)} ms  “${text}”`;
  return [...recorded.map((end) => row('-', end)), ...replayed.map((end) => row('+', end))].sort(
    (a, b) => Number.parseFloat(a.slice(15)) - Number.parseFloat(b.slice(15)),
  );
}

function isInterim(event: CallEvent): boolean {
  return event.type === 'transcript' && !event.final;
}

function lineOf(line: ReplayLine): string {
  return `${seconds(line.t)}  ${textOf(line)}`;
}

function textOf(line: ReplayLine): string {
  switch (line.type) {
    case 'event':
      return eventText(line.event);
    case 'transport': {
      const at = line.positionMs === undefined ? '' : ` ${Math.round(line.positionMs)} ms`;
      return `media   ${line.action}${at}`;
    }
    case 'turn': {
      const { index, role, text, cut, startMs, endMs } = line.turn;
      const span = `${seconds(startMs).trim()}–${seconds(endMs).trim()}`;
      return `record  ${index} ${role} ${span}${cut ? ' cut' : ''} “${text}”`;
    }
    case 'fault':
      return `fault   ${line.part}`;
    case 'turn-event': {
      const { event } = line;
      return `turn    ${event.type}${event.type === 'timer' ? ` ${event.timer}` : ''}`;
    }
    default:
      return line.type;
  }
}

function eventText(event: CallEvent): string {
  switch (event.type) {
    case 'state':
      return `state   ${event.state}`;
    case 'transcript': {
      const text = event.text === '' ? '(taken back)' : `“${event.text}”`;
      return `${event.role.padEnd(7)} ${event.final ? '' : '… '}${text}`;
    }
    case 'latency': {
      const { type: _, turn, total, ...parts } = event;
      const sum = Object.entries(parts).map(([name, value]) => `${name} ${Math.round(value)}`);
      return `latency turn ${turn}: ${Math.round(total)} ms = ${sum.join(' + ')}`;
    }
    case 'error':
      return `error   ${event.code}`;
    case 'end':
      return `end     ${event.reason}`;
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3).padStart(8);
}
