import OpenAI from 'openai';
import { CallError, type CallErrorCode } from '../contract/errors.js';

/** A server that speaks OpenAI's interface. */
export interface OpenAiServer {
  /** Root of the API, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Local servers want none. */
  readonly apiKey: string | undefined;
}

/** In a call nobody waits longer than this because a server asks for it. */
const MAX_WAIT_S = 1;

export interface RequestLimits {
  /** Ms to the first byte. */
  readonly timeout: number;
  /** How often it is tried again. */
  readonly maxRetries: number;
  /** Somebody listens: a server that is busy for long has failed, and is not waited for. */
  readonly isLive?: boolean;
}

/** @param limits of one request. */
export function createOpenAiClient(
  { baseUrl, apiKey }: OpenAiServer,
  { isLive = false, ...limits }: RequestLimits,
): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    // The client wants some key; servers without authentication ignore it.
    apiKey: apiKey ?? 'none',
    ...limits,
    ...(isLive && { fetch: fetchNow }),
  });
}

/** The client waits as long as `Retry-After` says, up to a minute, unless the answer forbids it. */
const fetchNow: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  const wait = Number(response.headers.get('retry-after') ?? 0);
  if (response.ok || wait <= MAX_WAIT_S) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // Source: the client's own rule for retries, which this header decides.
  headers.set('x-should-retry', 'false');
  return new Response(response.body, { status, statusText, headers });
};

/** What failed, with the status that the server answered. */
export function serverFailed(code: CallErrorCode, what: string, cause: unknown): CallError {
  const isTold = cause instanceof OpenAI.APIError;
  const status = isTold ? ` (${cause.status ? `status ${cause.status}` : 'no answer'})` : '';
  return new CallError(code, `${what} failed${status}`, { cause });
}
