import ipaddr from 'ipaddr.js';
import type { Knex } from 'knex';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { ApiError } from './api-error.js';

const WINDOW_S = 60;

export interface RateLimits {
  /**
   * Requests per minute and account, and unverified upgrades per minute and address. 0 = no limit.
   */
  readonly requestsPerMinute: number;
  /** Wrong keys per minute and address. 0 = no limit. */
  readonly failedAuthsPerMinute: number;
}

/** Receives the headers about the remaining requests, such as a response. */
export interface HeaderSink {
  set(name: string, value: string): unknown;
}

/** Counts requests. The counters are in the database, so that all of its gateways share them. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #requests: RateLimiterAbstract | undefined;
  readonly #failedAuths: RateLimiterAbstract | undefined;
  readonly #upgrades: RateLimiterAbstract | undefined;

  /** @param db - undefined: the counters are in this process only */
  constructor(limits: RateLimits, db?: Knex) {
    this.#limits = limits;
    this.#requests = counter('requests', limits.requestsPerMinute, db);
    this.#failedAuths = counter('failed-auths', limits.failedAuthsPerMinute, db);
    this.#upgrades = counter('upgrades', limits.requestsPerMinute, db);
  }

  /**
   * Counts a request of an account, and sets the headers about the remaining requests.
   * @throws ApiError RATE_LIMITED
   */
  async countRequest(accountId: string, response: HeaderSink): Promise<void> {
    if (!this.#requests) return;
    const { state, isOver } = await consume(this.#requests, accountId);
    const quota = this.#limits.requestsPerMinute;
    const resetS = secondsUntilReset(state);
    // Source: IETF draft-ietf-httpapi-ratelimit-headers-09.
    response.set('RateLimit-Policy', `"account";q=${quota};w=${WINDOW_S}`);
    response.set('RateLimit', `"account";r=${Math.max(0, state.remainingPoints)};t=${resetS}`);
    if (isOver) throw rateLimited(`More than ${quota} requests in a minute`, resetS);
  }

  /**
   * Counts a wrong key. The limit rejects only wrong keys: valid ones are always accepted, so that a
   * client cannot lock out others behind the same address.
   * @throws ApiError RATE_LIMITED
   */
  async countFailedAuth(address: string): Promise<void> {
    if (!this.#failedAuths) return;
    const { state, isOver } = await consume(this.#failedAuths, networkOf(address));
    if (isOver)
      throw rateLimited(
        'Too many failed authentications from this address',
        secondsUntilReset(state),
      );
  }

  /**
   * Counts an upgrade whose account is not verified yet, by its address.
   * @throws ApiError RATE_LIMITED
   */
  async countUpgrade(address: string): Promise<void> {
    if (!this.#upgrades) return;
    const { state, isOver } = await consume(this.#upgrades, networkOf(address));
    if (isOver) {
      const quota = this.#limits.requestsPerMinute;
      throw rateLimited(`More than ${quota} sockets in a minute`, secondsUntilReset(state));
    }
  }
}

function counter(
  name: string,
  points: number,
  db: Knex | undefined,
): RateLimiterAbstract | undefined {
  if (points === 0) return undefined;
  const options = { keyPrefix: name, points, duration: WINDOW_S };
  const inMemory = new RateLimiterMemory(options);
  if (!db) return inMemory;
  return new RateLimiterPostgres({
    ...options,
    storeClient: db,
    storeType: 'knex',
    tableName: 'rate_limits',
    tableCreated: true, // by a migration
    inMemoryBlockOnConsumed: points + 1,
    // While the database is unreachable, each gateway counts its own requests.
    insuranceLimiter: inMemory,
  });
}

async function consume(limiter: RateLimiterAbstract, key: string) {
  try {
    return { state: await limiter.consume(key), isOver: false };
  } catch (outcome) {
    if (!(outcome instanceof RateLimiterRes)) throw outcome;
    return { state: outcome, isOver: true };
  }
}

function secondsUntilReset(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}

function rateLimited(sentence: string, retryAfterS: number): ApiError {
  return new ApiError('RATE_LIMITED', sentence, {
    retryAfterS,
    detail: `Try again in ${retryAfterS} seconds`,
  });
}

/** An IPv6 client has a whole /64 network, which counts as one address. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`)}/64`;
}
