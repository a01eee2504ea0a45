import OpenAI from 'openai';
import { CallError, type CallErrorCode } from '../errors.js';

/** A server that speaks OpenAI's interface. */
export interface OpenAiServer {
  /** Root of the API, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Local servers want none. */
  readonly apiKey: string | undefined;
}

/** @param limits of one request: ms to its first byte, and how often it is tried again. */
export function openAiClient(
  { baseUrl, apiKey }: OpenAiServer,
  limits: { readonly timeout: number; readonly maxRetries: number },
): OpenAI {
  // The client wants some key; servers without authentication ignore it.
  return new OpenAI({ baseURL: baseUrl, apiKey: apiKey ?? 'none', ...limits });
}

/** What failed, with the status that the server answered. */
export function serverFailed(code: CallErrorCode, what: string, cause: unknown): CallError {
  const isTold = cause instanceof OpenAI.APIError;
  const status = isTold ? ` (${cause.status ? `status ${cause.status}` : 'no answer'})` : '';
  return new CallError(code, `${what} failed${status}`, { cause });
}
