import type {
  LoggedTool,
  LoggedTurn,
  TurnLatency,
  TurnProviders,
} from '../../../agents-runtime/contract/call-log.js';

/** A tool call, as stored and in responses. Times are ms since the start of the call. */
export interface StoredTool {
  readonly name: string;
  readonly kind: LoggedTool['kind'];
  /** As the model wrote them: JSON if they are valid. */
  readonly arguments: string;
  readonly result: string;
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly outcome: LoggedTool['outcome'];
}

/** A passage that an answer is based on, as stored and in responses. */
export interface StoredSource {
  readonly knowledge_base_id: number;
  readonly document_id: number | null;
  readonly title: string;
  readonly passage: string;
}

/** One turn as it was played or transcribed. Times are ms since the start of the call. */
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

/** Characters; longer passages are truncated. */
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

/** A turn as events report it. */
export function toReportedTurn(row: CallTurnRow): LoggedTurn {
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

/** PostgreSQL rejects NUL and lone surrogates, which truncation can leave. */
function sanitiseText(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, '');
}

/** The arguments that a model wrote; the text itself if it is not valid JSON. */
export function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return text;
  }
}
