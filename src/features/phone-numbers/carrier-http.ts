import type { z } from 'zod';
import { ApiError } from '../../platform/http/api-error.js';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 1_048_576;
const MAX_DETAIL_LENGTH = 300;

export interface CarrierRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A name may occur more than once. */
  readonly form?: readonly (readonly [name: string, value: string])[];
  readonly json?: unknown;
}

export interface CarrierResponse {
  readonly status: number;
  readonly isOk: boolean;
  /** Parsed JSON; undefined for another content type. */
  readonly body: unknown;
}

export interface CarrierHttpOptions {
  /** The carrier's name, for error messages. */
  readonly name: string;
  readonly baseUrl: string;
  readonly authorization: string;
}

/** HTTP client for a carrier's REST API. Follows no redirects; bounds time and response size. */
export class CarrierHttp {
  readonly #options: CarrierHttpOptions;

  constructor(options: CarrierHttpOptions) {
    this.#options = options;
  }

  /** @throws ApiError PROVIDER_ERROR if the carrier is not reachable */
  async send({ method, path, query, form, json }: CarrierRequest): Promise<CarrierResponse> {
    const url = `${this.#options.baseUrl}${path}${query ? `?${new URLSearchParams(query)}` : ''}`;
    const written = json === undefined ? undefined : JSON.stringify(json);
    const fields = form?.map(([name, value]): [string, string] => [name, value]);
    const body = fields ? new URLSearchParams(fields).toString() : written;
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    try {
      const response = await fetch(url, {
        method,
        headers: {
          authorization: this.#options.authorization,
          accept: 'application/json',
          ...(body && { 'content-type': type }),
        },
        ...(body && { body }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await readText(response);
      return { status: response.status, isOk: response.ok, body: parseJsonOrUndefined(text) };
    } catch (cause) {
      throw new ApiError('PROVIDER_ERROR', `${this.#options.name} is unreachable`, { cause });
    }
  }

  /** Parses a response. @throws ApiError PROVIDER_ERROR if it is an error or does not match the schema */
  read<T extends z.ZodType>(schema: T, answer: CarrierResponse): z.output<T> {
    const result = schema.safeParse(answer.body);
    if (answer.isOk && result.success) return result.data;
    throw this.failed(answer);
  }

  /** @param detailText - the carrier's error message */
  failed({ status, isOk }: CarrierResponse, detailText?: string): ApiError {
    const { name } = this.#options;
    const sentence = isOk
      ? `${name} sent a response that is not valid`
      : `${name} responded with status ${status}`;
    const detail = detailText?.slice(0, MAX_DETAIL_LENGTH);
    return new ApiError('PROVIDER_ERROR', sentence, { ...(detail && { detail }) });
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_RESPONSE_BYTES) throw new Error('The response is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
