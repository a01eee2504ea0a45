import OpenAI from 'openai';
import { CallError, type CallErrorCode } from '../contract/errors.js';

/** A server with an OpenAI-compatible API. */
export interface OpenAiServer {
  /** Root of the API, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Undefined for servers without authentication. */
  readonly apiKey: string | undefined;
}

/** Longest `Retry-After` in seconds that a live request waits for. */
const MAX_RETRY_AFTER_S = 1;

export interface RequestLimits {
  /** Time to the first byte in milliseconds. */
  readonly timeout: number;
  /** Retries after a failed attempt. */
  readonly maxRetries: number;
  /** For requests during a call: a server that asks for a long wait counts as failed. */
  readonly isLive?: boolean;
}

export function createOpenAiClient(
  { baseUrl, apiKey }: OpenAiServer,
  { isLive = false, ...limits }: RequestLimits,
): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    // The client requires a key; servers without authentication ignore it.
    apiKey: apiKey ?? 'none',
    ...limits,
    ...(isLive && { fetch: fetchLive }),
  });
}

/** By default the client obeys `Retry-After` up to a minute. */
const fetchLive: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  const wait = Number(response.headers.get('retry-after') ?? 0);
  if (response.ok || wait <= MAX_RETRY_AFTER_S) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // The client does not retry a response with this header. Source: openai-node, shouldRetry.
  headers.set('x-should-retry', 'false');
  return new Response(response.body, { status, statusText, headers });
};

/** An error that names the provider and the HTTP status. */
export function serverFailed(code: CallErrorCode, what: string, cause: unknown): CallError {
  const hasStatus = cause instanceof OpenAI.APIError;
  const status = hasStatus ? ` (${cause.status ? `status ${cause.status}` : 'no answer'})` : '';
  return new CallError(code, `${what} failed${status}`, { cause });
}
