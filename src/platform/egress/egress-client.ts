import { type Dispatcher, errors, request, fetch as undiciFetch } from 'undici';
import { EgressError } from './egress-error.js';
import type { EgressGuard } from './egress-guard.js';
import { abortable } from './egress-guard.js';

export interface EgressRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Limit from the lookup of the host to the last byte of the response, ms. */
  readonly timeoutMs: number;
  /** Largest body of the response. 0: only the status is read. */
  readonly maxBytes: number;
  /** Treatment of a larger body: a TOO_LARGE error, or truncation. */
  readonly onTooLarge?: 'throw' | 'cut';
  readonly signal?: AbortSignal;
}

export interface EgressResponse {
  readonly status: number;
  /** Names in lower case. Of repeated headers, the first value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const MAX_DISCARDED = 65_536;

/** Sends requests to addresses that users chose: guarded, bounded, without redirects. */
export class EgressClient {
  readonly #guard: EgressGuard;

  constructor(guard: EgressGuard) {
    this.#guard = guard;
  }

  /** A 3xx is returned, never followed. @throws EgressError */
  async request(wanted: EgressRequest): Promise<EgressResponse> {
    const url = this.#guard.checkUrl(wanted.url);
    const timeout = AbortSignal.timeout(wanted.timeoutMs);
    const signal = wanted.signal ? AbortSignal.any([timeout, wanted.signal]) : timeout;
    try {
      // undici notices an abort only when it is connected, so the wait is also aborted.
      return await abortable(this.#exchange(url, wanted, signal), signal);
    } catch (error) {
      throw explained(error, timeout);
    }
  }

  async #exchange(url: URL, wanted: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const response = await request(url, {
      dispatcher: this.#guard.dispatcher,
      method: wanted.method,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Parley', ...wanted.headers },
      body: wanted.body ?? null,
      signal,
    });
    const body =
      wanted.maxBytes === 0 ? discard(response.body) : await readBounded(response.body, wanted);
    return { status: response.statusCode, headers: firstOfEach(response.headers), body };
  }

  /**
   * `fetch` with the same guard, for clients with their own protocol (MCP). Redirects are returned. The
   * caller limits size and time.
   * @throws EgressError INSECURE_URL; a rejected address is the `cause` of fetch's TypeError
   */
  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = this.#guard.checkUrl(String(input));
    const { dispatcher } = this.#guard;
    // The types of undici and Node's global types describe the same objects.
    const options = { ...init, redirect: 'manual', dispatcher } as Parameters<
      typeof undiciFetch
    >[1];
    return (await undiciFetch(url, options)) as unknown as Response;
  };
}

/** Reads a short rest of the body, so that the connection can be reused. A longer rest is not read. */
function discard(body: Dispatcher.ResponseData['body']): Buffer {
  // Errors of an unused body are irrelevant.
  body.dump({ limit: MAX_DISCARDED }).catch(() => undefined);
  return Buffer.alloc(0);
}

async function readBounded(
  body: Dispatcher.ResponseData['body'],
  { maxBytes, onTooLarge = 'throw' }: EgressRequest,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early destroys the body, and the connection with it.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= maxBytes) continue;
    if (onTooLarge === 'cut') return Buffer.concat(chunks).subarray(0, maxBytes);
    throw new EgressError('TOO_LARGE', `The response is longer than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}

function firstOfEach(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return Object.fromEntries(entries);
}

function explained(error: unknown, timeout: AbortSignal): EgressError {
  if (error instanceof EgressError) return error;
  const isLate =
    timeout.aborted ||
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError;
  if (isLate) {
    return new EgressError('TIMEOUT', 'The response was not complete in time', { cause: error });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_ABORTED'].includes(code)) {
    return new EgressError(
      'CLOSED_EARLY',
      'The connection was closed before the response was complete',
      {
        cause: error,
      },
    );
  }
  return new EgressError('UNREACHABLE', 'The host is unreachable', { cause: error });
}
