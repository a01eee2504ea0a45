import { z } from 'zod';
import type { PronunciationRule } from '../../../media/text/dictionary/pronunciation-rule.js';
import type { AgentConfig } from '../../contract/agent-config.js';
import type { LoggedTurn } from '../../contract/call-log.js';
import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallFault } from '../../contract/errors.js';
import { CallError } from '../../contract/errors.js';
import type { ToolSpec } from '../../contract/tools.js';
import type { CallEvent } from '../../contract/transport.js';

/** A replay file that this code reads and writes; a change that older readers misread makes it 2. */
export const REPLAY_VERSION = 1;

/** ms of call time, thousandths at the finest. */
const ms = z.number().nonnegative().finite();
const count = z.number().int().nonnegative();
const object = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null);
const text = z.string();
const rate = z.number().int().positive();

const head = z.object({
  type: z.literal('call'),
  format: z.literal('parley.replay'),
  version: z.literal(REPLAY_VERSION),
  /** Hz of the agent's audio on the wire. */
  sampleRate: rate,
  /** Hz of its voice and of those that stand in for it. */
  voiceSampleRates: z.array(rate).min(1),
  /** Rates of the voices by language, of a call whose language is found out. */
  languageVoices: z.record(z.string(), rate).optional(),
  /** Pause between interims, of a recogniser with a pace of its own. */
  interimEveryMs: z.number().positive().optional(),
  /** The language model and those that stand in for it. */
  replyModels: z.number().int().positive(),
  tools: z.array(object<ToolSpec>()).optional(),
  /** Without it, the agent's voice is on the tape, as its echo counts. */
  hasEchoCanceller: z.boolean(),
  /** Left out: it can. */
  canPause: z.boolean().optional(),
  hasNoiseReduction: z.boolean(),
  /** Without credentials of tools. */
  config: object<AgentConfig>(),
  /** The rules of the agent's dictionary. */
  dictionary: z.array(object<PronunciationRule>()).optional(),
});

/** What comes in by itself. */
const entry = {
  t: ms,
  /** Together with the line before: the call had settled nothing of that yet. */
  isWithin: z.boolean().optional(),
};

/** What came from the client. */
const input = [
  z.object({ ...entry, type: z.literal('connected') }),
  /** s16le mono 16 kHz, base64. */
  z.object({ ...entry, type: z.literal('audio'), pcm: text }),
  z.object({ ...entry, type: z.literal('typed'), text }),
  /** Told to say by who watches. */
  z.object({ ...entry, type: z.literal('say'), text }),
  z.object({ ...entry, type: z.literal('played'), playedMs: ms }),
  z.object({ ...entry, type: z.literal('lost'), forMs: ms.optional() }),
  z.object({ ...entry, type: z.literal('regained'), receivedMs: ms }),
  z.object({ ...entry, type: z.literal('hang-up'), reason: z.custom<EndedReason>() }),
  /** Bytes that wait in the wire's buffers, when they have changed much. */
  z.object({ t: ms, type: z.literal('backlog'), bytes: count }),
] as const;

/** What the call waited for; `key` is the question, in short. */
const answers = [
  /** Speech probability of the next window. */
  z.object({ ...entry, type: z.literal('vad'), probability: z.number() }),
  /** The caller's next samples came out of the noise reduction: as they went in, or as they are here. */
  z.object({ t: ms, type: z.literal('cleaned'), samples: count, pcm: text.optional() }),
  z.object({ ...entry, type: z.literal('not-cleaned') }),
  z.object({
    t: ms,
    type: z.literal('timer'),
    askedAt: ms,
    waitMs: z.number(),
    /** It was past its time when it was stopped. */
    isStopped: z.boolean().optional(),
  }),
  z.object({ t: ms, type: z.literal('asked'), n: count, of: text, key: text }),
  /** Of the question `n`. Some have none: they were dropped, or the tape ended before. */
  z.object({
    t: ms,
    type: z.literal('answer'),
    n: count,
    value: z.unknown().optional(),
    error: text.optional(),
    /** A stream has no more. */
    isLast: z.boolean().optional(),
  }),
] as const;

/** What the call did, by which a replay is judged. */
const happenings = [
  z.object({ t: ms, type: z.literal('event'), event: object<CallEvent>() }),
  z.object({
    t: ms,
    type: z.literal('wire'),
    act: z.enum(['audio', 'pause', 'resume', 'clear', 'announce', 'close']),
    /** Position in the agent's audio, ms. */
    atMs: ms.optional(),
  }),
  z.object({ t: ms, type: z.literal('turn'), turn: object<LoggedTurn>() }),
  z.object({ t: ms, type: z.literal('fault'), part: z.custom<Parameters<CallFault>[0]>() }),
] as const;

/** The recorder reached its limit here, and the call went on. */
const full = z.object({ t: ms, type: z.literal('full') });

const line = z.discriminatedUnion('type', [...input, ...answers, ...happenings, full]);

export type ReplayHeader = z.infer<typeof head>;
export type ReplayLine = z.infer<typeof line>;
export type ResponseLine = Extract<ReplayLine, { type: 'answer' }>;
export type CleanedLine = Extract<ReplayLine, { type: 'cleaned' }>;
export type TimerLine = Extract<ReplayLine, { type: 'timer' }>;
/** One of those that come in by themselves, before it is known when. */
export type Entry = WithoutTime<
  Exclude<InputLine, { type: 'backlog' }> | Extract<ReplayLine, { type: 'vad' | 'not-cleaned' }>
>;
type WithoutTime<Line> = Line extends ReplayLine ? Omit<Line, keyof typeof entry> : never;
export type InputLine = z.infer<(typeof input)[number]>;
export type ObservedEffect = z.infer<(typeof happenings)[number]>;

/** A whole call, as far as it was recorded. */
export interface ReplayFile {
  readonly head: ReplayHeader;
  readonly lines: readonly ReplayLine[];
}

/** Takes a tape line by line, the head first; never throws and never waits. */
export interface ReplaySink {
  write(line: ReplayHeader | ReplayLine): void;
  /** No more will come. */
  end(): void;
}

export function isObservedEffect(line: ReplayLine): line is ObservedEffect {
  return ['event', 'wire', 'turn', 'fault'].includes(line.type);
}

/**
 * Reads a tape. A last line that was cut is left out.
 * @throws CallError PROTOCOL when it is none, or one of another version.
 */
export function parseReplayFile(jsonLines: string): ReplayFile {
  const rows = jsonLines.split('\n').filter((row) => row !== '');
  const isWhole = jsonLines.endsWith('\n');
  const parsed = rows.flatMap((row, index) => {
    const value = parseJson(row);
    if (value !== undefined) return [value];
    if (index === rows.length - 1 && !isWhole) return [];
    throw new CallError('PROTOCOL', `Line ${index + 1} of the replay file is no JSON`);
  });
  const first = head.safeParse(parsed[0]);
  if (!first.success) {
    throw new CallError('PROTOCOL', `This is no replay file of version ${REPLAY_VERSION}`);
  }
  const lines = parsed.slice(1).map((value, index) => {
    const result = line.safeParse(value);
    if (result.success) return result.data;
    throw new CallError('PROTOCOL', `Line ${index + 2} of the replay file is not understood`);
  });
  return { head: first.data, lines };
}

function parseJson(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return undefined;
  }
}
