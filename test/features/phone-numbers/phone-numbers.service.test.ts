import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CarrierRegistry } from '../../../src/features/phone-numbers/carrier-registry.js';
import { PhoneNumbersRepository } from '../../../src/features/phone-numbers/phone-numbers.repository.js';
import { phoneNumberRoutes } from '../../../src/features/phone-numbers/phone-numbers.routes.js';
import { PhoneNumberService } from '../../../src/features/phone-numbers/phone-numbers.service.js';
import { type FakeCarrier, TELNYX, TWILIO } from '../../support/fakes/carrier.js';
import { startTelnyx, startTwilio } from '../../support/fakes/carrier-servers.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const ORIGIN = 'https://voice.example.com';
const SLOTS = 2;
let twilio: FakeCarrier;
let telnyx: FakeCarrier;
let areConfigured = true;
let origin: string | undefined = ORIGIN;

const carriers = () =>
  new CarrierRegistry({
    TWILIO_ACCOUNT_SID: areConfigured ? TWILIO.accountSid : undefined,
    TWILIO_AUTH_TOKEN: areConfigured ? TWILIO.authToken : undefined,
    TWILIO_BASE_URL: twilio.baseUrl,
    TELNYX_API_KEY: areConfigured ? TELNYX.apiKey : undefined,
    TELNYX_BASE_URL: telnyx.baseUrl,
  });

const plane = withControlPlane({
  routes: (db) => {
    const repository = new PhoneNumbersRepository(db, SLOTS);
    const numbers = new PhoneNumberService({
      repository,
      carriers: { get: (provider) => carriers().get(provider) },
      origin: () => origin,
    });
    return phoneNumberRoutes(numbers);
  },
});

let serial = 0;
/** A number that no other test uses. */
const newNumber = () => `+1415555${String(serial++).padStart(4, '0')}`;

beforeAll(async () => {
  twilio = await startTwilio();
  telnyx = await startTelnyx();
});
afterAll(() => {
  twilio.close();
  telnyx.close();
});
beforeEach(() => {
  areConfigured = true;
  origin = ORIGIN;
  for (const carrier of [twilio, telnyx]) {
    carrier.dropsResponses = false;
    carrier.requests.length = 0;
    carrier.stock.clear();
  }
});

const both = [
  { provider: 'twilio', of: () => twilio },
  { provider: 'telnyx', of: () => telnyx },
] as const;

describe.each(both)('numbers from $provider', ({ provider, of }) => {
  it('are searched by country and area code', async () => {
    const ask = await plane.asNewAccount();
    of().stock.add('+18085550100').add('+14155550199');
    const searchQuery = { country_code: 'us', area_code: '808', provider };
    const { status, body } = await ask('POST', '/agent/search-phone-numbers', searchQuery);
    expect(status).toBe(200);
    expect(body.total_results).toBe(1);
    expect(body.results[0]).toMatchObject({
      phone_number: '+18085550100',
      country_code: 'US',
      locality: expect.stringMatching(/hilo/i),
      region: 'HI',
    });
  });

  it('are ordered, listed and released', async () => {
    const ask = await plane.asNewAccount();
    const phone_number = newNumber();
    of().stock.add(phone_number);
    const choice = { phone_number, provider };
    const selected = await ask('POST', '/agent/select-phone-number', choice);
    expect([selected.status, selected.body]).toEqual([200, { phone_number, status: 'selected' }]);
    expect(of().ownedNumbers.has(phone_number)).toBe(true);
    expect((await ask('GET', '/agent/phone-numbers')).body).toEqual({
      phone_numbers: [{ phone_number, status: 'available' }],
      total_numbers: 1,
      total_available: 1,
      total_assigned: 0,
    });
    const released = await ask('POST', '/agent/release-phone-number', choice);
    expect([released.status, released.body]).toEqual([200, { phone_number, status: 'released' }]);
    expect(of().ownedNumbers.has(phone_number)).toBe(false);
    expect((await ask('GET', '/agent/phone-numbers')).body.total_numbers).toBe(0);
  });

  it('that are unavailable return 409 and take no slot', async () => {
    const ask = await plane.asNewAccount();
    const choice = { phone_number: newNumber(), provider };
    const { status, body } = await ask('POST', '/agent/select-phone-number', choice);
    expect([status, body.code]).toEqual([409, 'PHONE_NUMBER_IN_USE']);
    of().stock.add(choice.phone_number);
    expect((await ask('POST', '/agent/select-phone-number', choice)).status).toBe(200);
  });

  it('return 409 and name the missing settings while the carrier is not configured', async () => {
    areConfigured = false;
    const ask = await plane.asNewAccount();
    for (const [path, body] of [
      ['/agent/search-phone-numbers', { provider }],
      ['/agent/select-phone-number', { provider, phone_number: newNumber() }],
    ] as const) {
      const { status, body: fault } = await ask('POST', path, body);
      expect([status, fault.code]).toEqual([409, 'NOT_CONFIGURED']);
      expect(fault.error).toMatch(
        provider === 'twilio' ? /TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN/ : /TELNYX_API_KEY/,
      );
    }
    expect(of().requests).toEqual([]);
  });

  it('return 502 if the carrier fails, and a completed order is recognised later', async () => {
    const accountId = await plane.makeAccount();
    const ask = plane.askAs(await plane.makeKey(accountId));
    const choice = { phone_number: newNumber(), provider };
    of().stock.add(choice.phone_number);
    of().dropsResponses = true;
    const lost = await ask('POST', '/agent/select-phone-number', choice);
    expect([lost.status, lost.body.code]).toEqual([502, 'PROVIDER_ERROR']);
    of().dropsResponses = false;
    // The result of the order is unknown: another attempt is too early.
    expect((await ask('POST', '/agent/select-phone-number', choice)).status).toBe(409);
    await plane.database
      .db('phone_numbers')
      .where({ phone_number: choice.phone_number })
      .update({ created_at: plane.database.db.raw(`now() - interval '3 minutes'`) });
    expect((await ask('POST', '/agent/select-phone-number', choice)).status).toBe(200);
    expect((await ask('GET', '/agent/phone-numbers')).body.total_numbers).toBe(1);
  });
});

it('ordering a number at Twilio sets its voice URL', async () => {
  const ask = await plane.asNewAccount();
  const phone_number = newNumber();
  twilio.stock.add(phone_number);
  await ask('POST', '/agent/select-phone-number', { phone_number });
  expect(twilio.ownedNumbers.get(phone_number)).toEqual({
    VoiceUrl: `${ORIGIN}/telephony/twilio/voice`,
    VoiceMethod: 'POST',
    StatusCallback: `${ORIGIN}/telephony/twilio/status`,
    StatusCallbackMethod: 'POST',
  });
});

it('no number is ordered while the public URL is unknown', async () => {
  origin = undefined;
  const ask = await plane.asNewAccount();
  const phone_number = newNumber();
  twilio.stock.add(phone_number);
  const { status, body } = await ask('POST', '/agent/select-phone-number', { phone_number });
  expect([status, body.code]).toEqual([503, 'PUBLIC_URL_REQUIRED']);
  expect(twilio.ownedNumbers.has(phone_number)).toBe(false);
});

describe('number slots', () => {
  it('are never exceeded by concurrent orders', async () => {
    const ask = await plane.asNewAccount();
    const numbers = Array.from({ length: 5 }, newNumber);
    for (const number of numbers) twilio.stock.add(number);
    const all = await Promise.all(
      numbers.map((phone_number) => ask('POST', '/agent/select-phone-number', { phone_number })),
    );
    const refused = all.filter(({ status }) => status !== 200);
    expect(all.length - refused.length).toBe(SLOTS);
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([403, 'PHONE_NUMBER_LIMIT']);
    }
    expect(numbers.filter((number) => twilio.ownedNumbers.has(number))).toHaveLength(SLOTS);
  });

  it('belong to one account per number, and a repeated order of the same account succeeds', async () => {
    const [one, other] = [await plane.asNewAccount(), await plane.asNewAccount()];
    const choice = { phone_number: newNumber() };
    twilio.stock.add(choice.phone_number);
    expect((await one('POST', '/agent/select-phone-number', choice)).status).toBe(200);
    const orders = twilio.requests.length;
    expect((await one('POST', '/agent/select-phone-number', choice)).status).toBe(200);
    expect(twilio.requests.length).toBe(orders);
    const { status, body } = await other('POST', '/agent/select-phone-number', choice);
    expect([status, body.code]).toEqual([409, 'PHONE_NUMBER_IN_USE']);
    const released = await other('POST', '/agent/release-phone-number', choice);
    expect([released.status, released.body.code]).toEqual([404, 'PHONE_NUMBER_NOT_FOUND']);
  });
});

it('the number of a deployed agent cannot be released, and the list contains the agents of the numbers', async () => {
  const ask = await plane.asNewAccount();
  const [assigned, free] = [newNumber(), newNumber()];
  for (const phone_number of [assigned, free]) {
    twilio.stock.add(phone_number);
    await ask('POST', '/agent/select-phone-number', { phone_number });
  }
  const { body: agent } = await ask('POST', '/agent', {
    name: 'Pool',
    config: { phone_number: assigned },
  });
  await ask('POST', `/agent/${agent.agent_id}/deploy`);
  const numbers = plane.database.db('phone_numbers');
  await numbers.where({ phone_number: assigned }).update({ created_at: new Date(0) });
  const { body: list } = await ask('GET', '/agent/phone-numbers');
  expect(list).toMatchObject({ total_numbers: 2, total_available: 1, total_assigned: 1 });
  const newestFirst = [
    { phone_number: free, status: 'available' },
    {
      phone_number: assigned,
      status: 'assigned',
      assigned_to_agent_id: agent.agent_id,
      assigned_to_agent_name: 'Pool',
    },
  ];
  expect(list.phone_numbers).toEqual(newestFirst);
  const { body: available } = await ask('GET', '/agent/available-phone-numbers');
  expect(available.phone_numbers).toEqual([{ phone_number: free, status: 'available' }]);
  const release = () => ask('POST', '/agent/release-phone-number', { phone_number: assigned });
  expect((await release()).body.code).toBe('PHONE_NUMBER_IN_USE');
  await ask('POST', `/agent/${agent.agent_id}/pause`);
  expect((await release()).status).toBe(200);
});

it("the carrier's reason for a refusal is returned", async () => {
  const wrong = new CarrierRegistry({
    TWILIO_ACCOUNT_SID: TWILIO.accountSid,
    TWILIO_AUTH_TOKEN: randomUUID(),
    TWILIO_BASE_URL: twilio.baseUrl,
    TELNYX_API_KEY: randomUUID(),
    TELNYX_BASE_URL: `${telnyx.baseUrl}/v2`,
  });
  const search = { countryCode: 'US' };
  await expect(wrong.get('twilio').search(search)).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    message: 'Twilio responded with status 401',
    detail: 'Authenticate',
  });
  await expect(wrong.get('telnyx').search(search)).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    detail: 'Authentication failed',
  });
});

it('unknown numbers, countries and carriers are rejected', async () => {
  const ask = await plane.asNewAccount();
  for (const [path, body, loc] of [
    ['search', { country_code: 'USA' }, 'country_code'],
    ['search', { area_code: '41' }, 'area_code'],
    ['search', { provider: 'plivo' }, 'provider'],
    ['select', { phone_number: '4155550100' }, 'phone_number'],
    ['release', {}, 'phone_number'],
  ] as const) {
    const plural = path === 'search' ? 's' : '';
    const { status, body: fault } = await ask('POST', `/agent/${path}-phone-number${plural}`, body);
    expect([status, fault.detail[0].loc]).toEqual([422, ['body', loc]]);
  }
});
