import type {
  LoggedTool,
  LoggedTurn,
  TurnLatency,
  TurnProviders,
} from '../../../agents-runtime/contract/call-log.js';

/** A tool as it is stored and shown; times are ms from the call's zero. */
export interface StoredTool {
  readonly name: string;
  readonly kind: LoggedTool['kind'];
  /** As the model wrote them: JSON, or not. */
  readonly arguments: string;
  readonly result: string;
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly outcome: LoggedTool['outcome'];
}

/** A passage that an answer was made from, as it is stored and shown. */
export interface StoredSource {
  readonly knowledge_base_id: number;
  readonly document_id: number | null;
  readonly title: string;
  readonly passage: string;
}

/** One turn as it was heard; times are ms from the call's zero. */
export interface CallTurnRow {
  readonly call_id: string;
  readonly index: number;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly cut: boolean;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly latency: TurnLatency | null;
  readonly tools: readonly StoredTool[] | null;
  readonly sources: readonly StoredSource[] | null;
  readonly providers: TurnProviders | null;
}

/** Characters of a passage that are kept. */
const MAX_PASSAGE = 2_000;
const MAX_TITLE = 500;
const MAX_SOURCES = 20;

export function toTurnRow(callId: string, turn: LoggedTurn) {
  const { index, role, text, cut, startMs, endMs, latency, tools, sources, providers } = turn;
  return {
    call_id: callId,
    index,
    role,
    text: sanitiseText(text),
    cut,
    start_ms: Math.round(startMs),
    end_ms: Math.round(endMs),
    latency: latency ?? null,
    tools: tools ? JSON.stringify(tools.map(toStoredTool)) : null,
    sources: sources ? JSON.stringify(toStoredSources(sources)) : null,
    providers: providers ?? null,
  };
}

/** A turn as events tell of it. */
export function toTurn(row: CallTurnRow): LoggedTurn {
  const { index, role, text, cut, latency } = row;
  const { start_ms: startMs, end_ms: endMs } = row;
  return { index, role, text, cut, startMs, endMs, ...(latency && { latency }) };
}

function toStoredTool(tool: LoggedTool): StoredTool {
  return {
    name: sanitiseText(tool.name),
    kind: tool.kind,
    arguments: sanitiseText(tool.arguments),
    result: sanitiseText(tool.result),
    started_ms: Math.round(tool.startedMs),
    duration_ms: Math.round(tool.durationMs),
    outcome: tool.outcome,
  };
}

function toStoredSources(sources: NonNullable<LoggedTurn['sources']>): readonly StoredSource[] {
  return sources.slice(0, MAX_SOURCES).map((source) => ({
    knowledge_base_id: source.knowledgeBaseId,
    document_id: source.documentId ?? null,
    title: sanitiseText(source.title.slice(0, MAX_TITLE)),
    passage: sanitiseText(source.passage.slice(0, MAX_PASSAGE)),
  }));
}

/** The database takes neither NUL nor half a character, such as a cut may leave. */
function sanitiseText(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, '');
}

/** The arguments that a model wrote; the text as it stands where that is no JSON, or was cut. */
export function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return text;
  }
}
