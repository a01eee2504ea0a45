import { z } from 'zod';
import type { PronunciationRule } from '../../../media/text/dictionary/pronunciation-rule.js';
import type { AgentConfig } from '../../contract/agent-config.js';
import type { LoggedTurn } from '../../contract/call-log.js';
import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallPart } from '../../contract/errors.js';
import { CallError } from '../../contract/errors.js';
import type { ToolSpec } from '../../contract/tools.js';
import type { CallEvent } from '../../contract/transport.js';
import type { TurnEvent } from '../../contract/turn-events.js';

/** The version that this code reads and writes. Increase it with a change that older releases misread. */
export const REPLAY_VERSION = 2;

/** Call time in ms, rounded to thousandths. */
const ms = z.number().nonnegative().finite();
const count = z.number().int().nonnegative();
const object = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null);
const text = z.string();
const rate = z.number().int().positive();

const header = z.object({
  type: z.literal('call'),
  format: z.literal('parley.replay'),
  version: z.literal(REPLAY_VERSION),
  /** Sample rate of the agent's audio, in Hz. */
  sampleRate: rate,
  /** Sample rates of the voice and of its fallbacks, in Hz. */
  voiceSampleRates: z.array(rate).min(1),
  /** Sample rates of the voices by language, if the call detects its language. */
  languageVoices: z.record(z.string(), rate).optional(),
  /** As in `SpeechToText`. */
  interimEveryMs: z.number().positive().optional(),
  /** Number of LLMs: the first and its fallbacks. */
  replyModels: z.number().int().positive(),
  tools: z.array(object<ToolSpec>()).optional(),
  /** Without one, the file contains the agent's audio, as its echo affects the call. */
  hasEchoCanceller: z.boolean(),
  /** Default: true. */
  canPause: z.boolean().optional(),
  hasNoiseReduction: z.boolean(),
  /** Without credentials of tools. */
  config: object<AgentConfig>(),
  /** The rules of the agent's dictionary. */
  dictionary: z.array(object<PronunciationRule>()).optional(),
});

/** Input from the transport. */
const input = [
  z.object({ t: ms, type: z.literal('connected') }),
  /** 16-bit little-endian mono at 16 kHz, in base64. */
  z.object({ t: ms, type: z.literal('audio'), pcm: text }),
  z.object({ t: ms, type: z.literal('typed'), text }),
  /** A text dictated by an operator. */
  z.object({ t: ms, type: z.literal('say'), text }),
  z.object({ t: ms, type: z.literal('played'), playedMs: ms }),
  z.object({ t: ms, type: z.literal('lost'), forMs: ms.optional() }),
  z.object({ t: ms, type: z.literal('regained'), receivedMs: ms }),
  z.object({ t: ms, type: z.literal('hang-up'), reason: z.custom<EndedReason>() }),
  /** Bytes in the transport's send buffers, when they have changed by more than 4 KiB. */
  z.object({ t: ms, type: z.literal('backlog'), bytes: count }),
] as const;

/** Requests to providers and their responses; `key` identifies the request. */
const responses = [
  /** Speech probability of the next window. */
  z.object({ t: ms, type: z.literal('vad'), probability: z.number() }),
  /** The caller's next samples after noise reduction; without `pcm` they are unchanged. */
  z.object({ t: ms, type: z.literal('cleaned'), samples: count, pcm: text.optional() }),
  z.object({ t: ms, type: z.literal('not-cleaned') }),
  z.object({ t: ms, type: z.literal('asked'), n: count, of: text, key: text }),
  /** The response to request `n`. Dropped requests have none. */
  z.object({
    t: ms,
    type: z.literal('answer'),
    n: count,
    value: z.unknown().optional(),
    error: text.optional(),
    /** The stream has ended. */
    isLast: z.boolean().optional(),
  }),
] as const;

/** JSON has no Infinity: `remainingMs` is null in a file. */
function withInfinity(event: TurnEvent): TurnEvent {
  if (event.type !== 'speech-started' || !event.over) return event;
  const remainingMs = event.over.remainingMs ?? Number.POSITIVE_INFINITY;
  return { ...event, over: { ...event.over, remainingMs } };
}

/** Events of the turn reducer, in the order in which it processed them. */
const turnEvent = z.object({
  t: ms,
  type: z.literal('turn-event'),
  event: object<TurnEvent>().transform(withInfinity),
});

const transportAction = z.enum(['audio', 'pause', 'resume', 'clear', 'announce', 'close']);

/** What the call did. A replay is compared with these lines. */
const effects = [
  z.object({ t: ms, type: z.literal('event'), event: object<CallEvent>() }),
  z.object({
    t: ms,
    type: z.literal('transport'),
    action: transportAction,
    /** Position in the agent's audio. */
    positionMs: ms.optional(),
  }),
  z.object({ t: ms, type: z.literal('turn'), turn: object<LoggedTurn>() }),
  z.object({ t: ms, type: z.literal('fault'), part: z.custom<CallPart>() }),
] as const;

/** The file reached its size limit; the call continued. */
const full = z.object({ t: ms, type: z.literal('full') });

const line = z.discriminatedUnion('type', [...input, ...responses, turnEvent, ...effects, full]);

export type ReplayHeader = z.infer<typeof header>;
export type ReplayLine = z.infer<typeof line>;
export type InputLine = z.infer<(typeof input)[number]>;
export type ResponseLine = Extract<ReplayLine, { type: 'answer' }>;
export type CleanedLine = Extract<ReplayLine, { type: 'cleaned' }>;
export type TurnEventLine = z.infer<typeof turnEvent>;
export type ObservedEffect = z.infer<(typeof effects)[number]>;
export type TransportAction = z.infer<typeof transportAction>;

/** A whole call, as far as it was recorded. */
export interface ReplayFile {
  readonly header: ReplayHeader;
  readonly lines: readonly ReplayLine[];
}

/** Receives the header and then the lines of a file. Must neither throw nor wait. */
export interface ReplaySink {
  write(line: ReplayHeader | ReplayLine): void;
  /** The file is complete. */
  end(): void;
}

export function isObservedEffect(line: ReplayLine): line is ObservedEffect {
  return ['event', 'transport', 'turn', 'fault'].includes(line.type);
}

/**
 * Parses a replay file. Ignores an incomplete last line.
 * @throws CallError PROTOCOL for other files and for other versions
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
  const first = header.safeParse(parsed[0]);
  if (!first.success) throw new CallError('PROTOCOL', problemOf(parsed[0]));
  const lines = parsed.slice(1).map((value, index) => {
    const result = line.safeParse(value);
    if (result.success) return result.data;
    throw new CallError('PROTOCOL', `Line ${index + 2} of the replay file is not understood`);
  });
  return { header: first.data, lines };
}

function problemOf(first: unknown): string {
  const known = z.object({ format: z.literal('parley.replay'), version: z.number() });
  const { data } = known.safeParse(first);
  if (!data) return `This is no replay file of version ${REPLAY_VERSION}`;
  if (data.version === REPLAY_VERSION) return 'Line 1 of the replay file is not understood';
  return (
    `This replay file has version ${data.version}; this release replays version ${REPLAY_VERSION}. ` +
    'Use the release that recorded it.'
  );
}

function parseJson(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return undefined;
  }
}
