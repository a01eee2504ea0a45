import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { ApiError } from '../http/api-error.js';
import type { Gateway } from './gateways.repository.js';
import { GATEWAY_HEADER } from './peer-server.js';
import type { PeerKeys } from './peer-tls.js';

/** A gateway that has not responded after this time is unreachable. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A stream that is silent for this long has broken. The server writes at least every 5 s. */
const SILENCE_TIMEOUT_MS = 15_000;
/** Longest line of an event stream, characters. Events have a few thousand. */
const MAX_LINE_LENGTH = 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024;
const RETRY_AFTER_S = 5;

/** `NOT_FOUND`: the gateway does not hold the call. `UNREACHABLE`: it sent no valid response. */
export type PeerErrorCode = 'NOT_FOUND' | 'UNREACHABLE';

export class PeerError extends Error {
  override readonly name = 'PeerError';
  readonly code: PeerErrorCode;

  constructor(code: PeerErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The API error if a request needs a gateway that does not respond or has no address. */
export function gatewayUnreachable(cause?: unknown): ApiError {
  return new ApiError(
    'GATEWAY_UNREACHABLE',
    'The gateway of this call is unreachable: try again, or set GATEWAY_ADDRESS of that gateway to an address that this one can reach',
    { retryAfterS: RETRY_AFTER_S, cause },
  );
}

export interface PeerRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Time for the response, ms. Default: 5,000. */
  readonly timeoutMs?: number;
}

/** Calls the API of other gateways. */
export class PeerClient {
  readonly #keys: PeerKeys;

  constructor(keys: PeerKeys) {
    this.#keys = keys;
  }

  /**
   * Opens a stream, which ends when the signal aborts.
   * @throws PeerError
   */
  async open(gateway: Gateway, options: PeerRequest): Promise<IncomingMessage> {
    const response = await this.#responseOf(gateway, this.startRequest(gateway, options));
    response.setTimeout(SILENCE_TIMEOUT_MS, () =>
      response.destroy(new PeerError('UNREACHABLE', 'The other gateway has sent nothing for 15 s')),
    );
    return response;
  }

  /**
   * Reads a stream of events until the gateway ends it or the signal aborts.
   * @throws PeerError when there is no connection. @throws Error when it breaks.
   */
  async follow<T>(
    gateway: Gateway,
    options: PeerRequest,
    onEvent: (event: T) => void,
  ): Promise<void> {
    const response = await this.open(gateway, options);
    let rest = '';
    response.setEncoding('utf8');
    for await (const chunk of response) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH)
        throw new PeerError('UNREACHABLE', 'A line of an event stream is too long');
      for (const line of lines) {
        // The other gateway has our key and runs this program.
        if (line !== '') onEvent(JSON.parse(line) as T);
      }
    }
  }

  /**
   * Sends a body as JSON.
   * @returns the JSON of the answer. @throws PeerError
   */
  async post(gateway: Gateway, options: PeerRequest): Promise<unknown> {
    const signal = AbortSignal.timeout(options.timeoutMs ?? ANSWER_TIMEOUT_MS);
    const request = this.startRequest(gateway, { ...options, method: 'POST', signal });
    const response = await this.#responseOf(gateway, request);
    if (!(Number(response.headers['content-length']) <= MAX_ANSWER_BYTES)) {
      response.destroy();
      throw new PeerError('UNREACHABLE', 'The response of the other gateway is too long');
    }
    try {
      return JSON.parse(await text(response));
    } catch (error) {
      throw new PeerError('UNREACHABLE', 'The response of the other gateway broke off', error);
    }
  }

  /**
   * Starts a request on its own connection. A shared agent would reuse connections that an older key
   * opened.
   */
  startRequest(gateway: Gateway, options: PeerRequest): ClientRequest {
    const { method = 'GET', path, headers, body, signal, timeoutMs = ANSWER_TIMEOUT_MS } = options;
    const url = new URL(`https://${gateway.address}${path}`);
    const json = body === undefined ? undefined : JSON.stringify(body);
    const request = httpsRequest(url, {
      ...this.#keys.clientOptions,
      agent: false,
      method,
      signal,
      headers: {
        ...headers,
        [GATEWAY_HEADER]: gateway.id,
        ...(json !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(json),
        }),
      },
    });
    const limit = setTimeout(
      () => request.destroy(new PeerError('UNREACHABLE', 'The other gateway does not respond')),
      timeoutMs,
    );
    for (const event of ['response', 'upgrade', 'close'])
      request.once(event, () => clearTimeout(limit));
    request.end(json);
    return request;
  }

  #responseOf(gateway: Gateway, request: ClientRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request.on('error', (error) =>
        reject(
          error instanceof PeerError
            ? error
            : new PeerError('UNREACHABLE', `Gateway ${gateway.id} is unreachable`, error),
        ),
      );
      request.on('response', (response) => {
        if (response.statusCode === 200) {
          resolve(response);
          return;
        }
        response.resume();
        const code = response.statusCode === 404 ? 'NOT_FOUND' : 'UNREACHABLE';
        reject(
          new PeerError(code, `Gateway ${gateway.id} responded with status ${response.statusCode}`),
        );
      });
    });
  }
}
