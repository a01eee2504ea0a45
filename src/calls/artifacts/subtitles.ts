import type { CallRow } from '../store/call.model.js';
import type { CallTurnRow } from '../store/turn.model.js';
import { speakerName, utteranceText } from './transcript-line.js';

/** A subtitle format. */
export interface SubtitleFormat {
  /** The separator between seconds and milliseconds. */
  readonly point: '.' | ',';
  readonly numbersCues: boolean;
  cueText(speaker: string, text: string): string;
}

/** Source: W3C WebVTT, 4.2 (cue payload, voice span) and 3.3 (cue timings). */
export const VTT: SubtitleFormat = {
  point: '.',
  numbersCues: false,
  cueText: (speaker, text) => `<v ${escapeVtt(speaker)}>${escapeVtt(text)}</v>`,
};

/**
 * SubRip has no standard and no escapes. A word joiner, which is invisible, prevents players from reading
 * text as a tag, a position or a timing line.
 */
export const SRT: SubtitleFormat = {
  point: ',',
  numbersCues: true,
  cueText: (speaker, text) => `${disarm(speaker)}: ${disarm(text)}`,
};

const WORD_JOINER = '\u2060';

/** One turn as a cue. @param at - its position, from 0 */
export function cueOf(
  format: SubtitleFormat,
  call: Pick<CallRow, 'agent_name'>,
  turn: CallTurnRow,
  at: number,
): string {
  const startMs = Math.max(0, turn.start_ms);
  // A cue must not be empty.
  const endMs = Math.max(turn.end_ms, startMs + 1);
  const time = (ms: number) => cueTime(ms, format.point);
  const number = format.numbersCues ? `${at + 1}\n` : '';
  const cueText = format.cueText(speakerName(call, turn.role), utteranceText(turn));
  return `${number}${time(startMs)} --> ${time(endMs)}\n${cueText}\n\n`;
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function disarm(text: string): string {
  return text.replaceAll(/[<{](?=[\w/\\!])|--(?=>)/g, (found) => found + WORD_JOINER);
}

function cueTime(ms: number, point: string): string {
  const digits = (value: number, length: number) => String(value).padStart(length, '0');
  const seconds = Math.floor(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${digits(h, 2)}:${digits(m, 2)}:${digits(s, 2)}${point}${digits(ms % 1000, 3)}`;
}
