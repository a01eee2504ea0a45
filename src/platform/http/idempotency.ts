import { createHash } from 'node:crypto';
import { ApiError } from './api-error.js';
import type { IdempotencyRepository, KeyedRequest } from './idempotency.repository.js';
import { type Principal, type RepeatPolicy, Reply, type RouteContext, SENT } from './route.js';
import { valueError } from './validation/invalid-input.js';

/**
 * An idempotency key: visible ASCII.
 * Source: IETF draft-ietf-httpapi-idempotency-key-header-07, which uses a string.
 */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
const HEADER = 'Idempotency-Key';
/** `Retry-After` for a repetition while the first request runs. */
const RETRY_AFTER_S = 1;

/** Encrypts stored responses, which may contain secrets that are shown only once. */
export interface ResponseBox {
  seal(text: string, place: string): string;
  open(sealed: string, place: string): string;
}

type AnyContext = RouteContext<unknown, unknown, unknown>;

/**
 * Answers repetitions of a request with an `Idempotency-Key` with the stored response. Only success is
 * stored: a request that failed created nothing and may be repeated. A key belongs to the API key or
 * JWT that sent it, so that no other one receives the response.
 *
 * The caller checks the principal's rights before every request, also before a repetition.
 */
export class IdempotencyService {
  readonly #repository: IdempotencyRepository;
  readonly #box: ResponseBox;

  constructor(repository: IdempotencyRepository, box: ResponseBox) {
    this.#repository = repository;
    this.#box = box;
  }

  /**
   * Runs the work, or returns the stored response of the first request.
   * @throws InvalidInput when the key was used for another request
   * @throws ApiError IDEMPOTENCY_IN_PROGRESS while the first request is still served
   */
  async once(
    context: AnyContext,
    work: () => Promise<unknown>,
    repeatPolicy?: RepeatPolicy,
  ): Promise<unknown> {
    const key = context.req.get(HEADER);
    if (key === undefined) return work();
    if (!IDEMPOTENCY_KEY.test(key)) {
      throw valueError(['header', HEADER], 'a key is 1 to 255 visible characters', key);
    }
    const { accountId } = context.principal;
    const principal = principalOf(context.principal);
    const request = { accountId, principal, key, hash: hashOf(context) };
    const earlier = await this.#repository.reserve(request);
    if (!earlier) return this.#first(context, request, work, repeatPolicy);
    if (!earlier.hash.equals(request.hash)) {
      throw valueError(
        ['header', HEADER],
        'this key was used for another request: use a new key',
        key,
      );
    }
    if (earlier.response === null) {
      throw new ApiError(
        'IDEMPOTENCY_IN_PROGRESS',
        'The first request with this key is still running: try again in a second',
        {
          retryAfterS: RETRY_AFTER_S,
        },
      );
    }
    return this.#repeat(request, earlier.response, repeatPolicy);
  }

  async #first(
    context: AnyContext,
    request: KeyedRequest,
    work: () => Promise<unknown>,
    repeatPolicy: RepeatPolicy | undefined,
  ) {
    let outcome: unknown;
    try {
      outcome = await work();
    } catch (error) {
      await this.#repository.release(request);
      throw error;
    }
    if (outcome === SENT) throw new Error('An idempotent route must return its response');
    const reply = outcome instanceof Reply ? outcome : new Reply(200, outcome);
    const { status, body, headers } = reply;
    const kept = new Reply(status, repeatPolicy ? repeatPolicy.keep(body) : body, headers);
    const sealed = this.#box.seal(JSON.stringify(kept), placeOf(request));
    // The client gets its response anyway. A repetition finds the key reserved and creates nothing.
    await this.#repository
      .keep(request, sealed)
      .catch((error: unknown) =>
        context.log.error({ err: error }, 'Cannot store the response of an idempotent request'),
      );
    return reply;
  }

  async #repeat(request: KeyedRequest, response: string, repeatPolicy: RepeatPolicy | undefined) {
    const kept = JSON.parse(this.#box.open(response, placeOf(request))) as Reply;
    const body = repeatPolicy ? await repeatPolicy.restore(kept.body) : kept.body;
    return new Reply(kept.status, body, { ...kept.headers, 'Idempotency-Replayed': 'true' });
  }
}

function placeOf({ accountId, principal, key }: KeyedRequest): string {
  return `idempotent-answer ${accountId} ${principal} ${key}`;
}

/** JWTs have no id. JWTs of one account with different scopes are different principals. */
function principalOf({ keyId, scopes }: Principal): string {
  return keyId === null ? `jwt:${[...new Set(scopes)].sort().join(' ')}` : `key:${keyId}`;
}

/** The hash of the validated input, so that spaces and the order of members have no effect. */
function hashOf({ req, body, query }: AnyContext): Buffer {
  const path = req.path.replace(/\/$/, '');
  return createHash('sha256')
    .update(JSON.stringify([req.method, path, query ?? null, body ?? null]))
    .digest();
}
