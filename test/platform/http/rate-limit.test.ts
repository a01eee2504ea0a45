import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../src/platform/http/rate-limit.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

/** A response that records the headers set by a limiter. */
function answer() {
  const headers: Record<string, string> = {};
  const response = {
    set: (name: string, value: string) => {
      headers[name] = value;
    },
  };
  return { headers, response: response as unknown as Response };
}

describe('counters', () => {
  const database = withDatabase({ emptied: 'before-each' });
  const limits = { requestsPerMinute: 3, failedAuthsPerMinute: 2 };

  it('are shared by all gateways of a database', async () => {
    const gateways = [new RateLimiter(limits, database.db), new RateLimiter(limits, database.db)];
    const { headers, response } = answer();
    for (const i of [0, 1, 0]) await gateways[i]!.countRequest('account', response);
    expect(headers.RateLimit).toMatch(/^"account";r=0;t=\d+$/);
    await expect(gateways[1]!.countRequest('account', response)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterS: expect.any(Number),
    });
    await gateways[1]!.countRequest('another account', response);
  });

  it('include all concurrent requests', async () => {
    const limiter = new RateLimiter({ ...limits, requestsPerMinute: 50 }, database.db);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 80 }, () => limiter.countRequest('account', answer().response)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  });

  it('treat an IPv6 network as one address', async () => {
    const limiter = new RateLimiter(limits, database.db);
    await limiter.countFailedAuth('2001:db8:1:2::1');
    await limiter.countFailedAuth('2001:db8:1:2:ffff::9');
    await expect(limiter.countFailedAuth('2001:db8:1:2::3')).rejects.toThrow();
    await limiter.countFailedAuth('2001:db8:1:3::1');
    await limiter.countFailedAuth('::ffff:10.0.0.1');
    await limiter.countFailedAuth('10.0.0.1');
    await expect(limiter.countFailedAuth('10.0.0.1')).rejects.toThrow();
  });

  it('are off at 0', async () => {
    const limiter = new RateLimiter({ requestsPerMinute: 0, failedAuthsPerMinute: 0 }, database.db);
    const { headers, response } = answer();
    for (let i = 0; i < 30; i++) {
      await limiter.countRequest('account', response);
      await limiter.countFailedAuth('10.0.0.1');
    }
    expect(headers).toEqual({});
  });
});

it('counting continues in the process while the database is unavailable', async () => {
  const { connect } = await import('../../../src/platform/db/connect.js');
  const db = connect('postgres://nobody@127.0.0.1:1/nothing');
  const limiter = new RateLimiter({ requestsPerMinute: 2, failedAuthsPerMinute: 0 }, db);
  const { response } = answer();
  await limiter.countRequest('account', response);
  await limiter.countRequest('account', response);
  await expect(limiter.countRequest('account', response)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  });
  await db.destroy();
});
