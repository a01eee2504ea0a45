import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { CarrierRegistry } from '../../../src/features/phone-numbers/carrier-registry.js';
import { PhoneNumbersRepository } from '../../../src/features/phone-numbers/phone-numbers.repository.js';
import { phoneNumberRoutes } from '../../../src/features/phone-numbers/phone-numbers.routes.js';
import { PhoneNumberService } from '../../../src/features/phone-numbers/phone-numbers.service.js';
import { findAccount } from '../../../tools/admin/accounts.js';
import { AdminError } from '../../../tools/admin/admin-error.js';
import {
  assignNumber,
  listNumbers,
  readPhoneNumber,
  unassignNumber,
} from '../../../tools/admin/phone-numbers.js';
import { TWILIO } from '../../support/fakes/carrier.js';
import { startTwilio } from '../../support/fakes/carrier-servers.js';
import { type Ask, withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { outboundOf } from '../../support/harness/app/outbound-calls-app.js';

const ORIGIN = 'https://voice.example.com';
const TO = '+14155550100';
const twilio = await startTwilio();

const plane = withControlPlane({
  routes: (db) => {
    const repository = new PhoneNumbersRepository(db, 0);
    const carriers = new CarrierRegistry({
      TWILIO_ACCOUNT_SID: TWILIO.accountSid,
      TWILIO_AUTH_TOKEN: TWILIO.authToken,
      TWILIO_BASE_URL: twilio.baseUrl,
      TELNYX_API_KEY: undefined,
      TELNYX_BASE_URL: 'http://127.0.0.1:1',
    });
    const numbers = new PhoneNumberService({ repository, carriers, origin: () => ORIGIN });
    const outbound = outboundOf(db, {
      twilioUrl: () => twilio.baseUrl,
      twilioToken: TWILIO.authToken,
      origin: () => ORIGIN,
    });
    return [...phoneNumberRoutes(numbers), ...outbound.routes];
  },
});
afterAll(() => twilio.close());
beforeEach(async () => {
  twilio.stock.clear();
  twilio.calls.clear();
  // Each test starts without accounts.
  await plane.database.db('calls').delete();
  await plane.database.db('accounts').delete();
});

let serial = 0;
const newNumber = () => `+1415552${String(serial++).padStart(4, '0')}`;
const db = () => plane.database.db;

async function account() {
  const id = await plane.makeAccount();
  return { id, ask: plane.askAs(await plane.makeKey(id)) };
}

async function makeAgent(ask: Ask, phone_number: string | null) {
  const mayCall = { allow_outbound_calling: true, outbound_contacts: { Ann: TO } };
  const body = { name: 'Pool', config: { ...mayCall, phone_number } };
  const { agent_id } = (await ask('POST', '/agent', body)).body;
  return {
    agent_id: agent_id as string,
    move: (verb: string) => ask('POST', `/agent/${agent_id}/${verb}`),
    set: (number: string | null) =>
      ask('PUT', `/agent/${agent_id}`, { config: { phone_number: number } }),
    dial: () => ask('POST', '/calls/outbound', { agent_id, target_phone_number: TO }),
  };
}

async function assign(accountId: string, number: string): Promise<void> {
  await assignNumber(db(), await findAccount(db(), accountId), number);
}

const ownerOf = async (phone_number: string): Promise<string | undefined> =>
  (await db()('phone_numbers').where({ phone_number }).first())?.account_id;
const IN_USE = [409, 'PHONE_NUMBER_IN_USE'];
const NOT_OWNED = [409, 'PHONE_NUMBER_NOT_OWNED'];
const outcome = async (answer: ReturnType<Ask>) => {
  const { status, body } = await answer;
  return [status, body.code];
};

describe('number of another account', () => {
  it('is refused when an agent is created, changed or deployed with it, and when it is ordered', async () => {
    const [owner, otherAccount] = [await account(), await account()];
    const number = newNumber();
    const stored = await makeAgent(otherAccount.ask, number);
    await assign(owner.id, number);
    const config = { phone_number: number };
    expect(await outcome(otherAccount.ask('POST', '/agent', { name: 'x', config }))).toEqual(
      IN_USE,
    );
    const other = await makeAgent(otherAccount.ask, null);
    expect(await outcome(other.set(number))).toEqual(IN_USE);
    expect(await outcome(stored.move('deploy'))).toEqual(IN_USE);
    twilio.stock.add(number);
    const choice = { phone_number: number, provider: 'twilio' };
    expect(await outcome(otherAccount.ask('POST', '/agent/select-phone-number', choice))).toEqual(
      IN_USE,
    );
    const own = await makeAgent(owner.ask, number);
    expect((await own.move('deploy')).status).toBe(200);
  });

  it('cannot be used for calls by an agent that was deployed before the change of ownership', async () => {
    const [owner, otherAccount] = [await account(), await account()];
    const number = newNumber();
    await assign(otherAccount.id, number);
    const deployed = await makeAgent(otherAccount.ask, number);
    await deployed.move('deploy');
    expect((await deployed.dial()).status).toBe(200);
    twilio.calls.clear();
    await db()('phone_numbers').where({ phone_number: number }).update({ account_id: owner.id });
    expect(await outcome(deployed.dial())).toEqual(IN_USE);
    expect(twilio.calls.size).toBe(0);
    expect(await outcome(deployed.move('deploy'))).toEqual(IN_USE);
  });

  it('can still be deployed by its owner, who receives the calls', async () => {
    const [owner, otherAccount] = [await account(), await account()];
    const number = newNumber();
    await assign(otherAccount.id, number);
    await (await makeAgent(otherAccount.ask, number)).move('deploy');
    await db()('phone_numbers').where({ phone_number: number }).update({ account_id: owner.id });
    const own = await makeAgent(owner.ask, number);
    expect((await own.move('deploy')).status).toBe(200);
    const found = await new AgentsRepository(db()).findDeployedByNumber(number);
    expect(found?.id).toBe(own.agent_id);
  });

  it('may stay in an agent whose other fields change', async () => {
    const [owner, otherAccount] = [await account(), await account()];
    const number = newNumber();
    const { agent_id } = await makeAgent(otherAccount.ask, number);
    await assign(owner.id, number);
    const change = { name: 'Renamed', config: { prompt: 'Be kind.' } };
    expect((await otherAccount.ask('PUT', `/agent/${agent_id}`, change)).status).toBe(200);
  });
});

describe('number without an owner, with several accounts', () => {
  it('can be stored, and is deployed or used for calls once the operator has assigned it', async () => {
    const [one] = [await account(), await account()];
    const number = newNumber();
    const agent = await makeAgent(one.ask, number);
    const refused = await agent.move('deploy');
    expect([refused.status, refused.body.code]).toEqual(NOT_OWNED);
    expect(refused.body.error).toContain('npm run admin -- numbers assign');
    await assign(one.id, number);
    expect((await agent.move('deploy')).status).toBe(200);
    expect((await agent.dial()).status).toBe(200);
  });

  it('cannot become the number of a deployed agent', async () => {
    const [one] = [await account(), await account()];
    const agent = await makeAgent(one.ask, null);
    await agent.move('deploy');
    expect(await outcome(agent.set(newNumber()))).toEqual(NOT_OWNED);
    expect((await one.ask('GET', `/agent/${agent.agent_id}`)).body.config.phone_number).toBeNull();
  });
});

describe('only account of an installation', () => {
  it('owns a number by deploying it, also after another account is created', async () => {
    const first = await account();
    const number = newNumber();
    const agent = await makeAgent(first.ask, number);
    expect((await agent.move('deploy')).status).toBe(200);
    const second = await account();
    expect((await agent.dial()).status).toBe(200);
    const config = { phone_number: number };
    expect(await outcome(second.ask('POST', '/agent', { name: 'x', config }))).toEqual(IN_USE);
    await agent.move('pause');
    expect((await agent.move('deploy')).status).toBe(200);
    expect((await first.ask('GET', '/agent/phone-numbers')).body.total_numbers).toBe(0);
  });
});

describe('number that is ordered from a carrier', () => {
  const choose = (ask: Ask, verb: string, phone_number: string) =>
    ask('POST', `/agent/${verb}-phone-number`, { phone_number, provider: 'twilio' });

  it('belongs to one of two accounts that order it concurrently', async () => {
    const [one, two] = [await account(), await account()];
    const number = newNumber();
    twilio.stock.add(number);
    const answers = await Promise.all([one, two].map(({ ask }) => choose(ask, 'select', number)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers[0]!.status === 200 ? one : two;
    expect(await ownerOf(number)).toBe(winner.id);
    expect((await (await makeAgent(winner.ask, number)).move('deploy')).status).toBe(200);
  });

  it('stays assigned if the order fails, and has no owner once it is released', async () => {
    const [one, two] = [await account(), await account()];
    const number = newNumber();
    await assign(one.id, number);
    expect((await choose(one.ask, 'select', number)).status).toBe(409);
    expect(await ownerOf(number)).toBe(one.id);
    twilio.stock.add(number);
    expect((await choose(one.ask, 'select', number)).status).toBe(200);
    expect((await choose(one.ask, 'release', number)).status).toBe(200);
    expect(await ownerOf(number)).toBeUndefined();
    twilio.stock.add(number);
    expect((await choose(two.ask, 'select', number)).status).toBe(200);
  });

  it('is kept if the carrier does not accept its release', async () => {
    const [one] = [await account(), await account()];
    const number = newNumber();
    twilio.stock.add(number);
    await choose(one.ask, 'select', number);
    twilio.dropsResponses = true;
    try {
      expect((await choose(one.ask, 'release', number)).status).toBe(502);
    } finally {
      twilio.dropsResponses = false;
    }
    expect((await (await makeAgent(one.ask, number)).move('deploy')).status).toBe(200);
    expect(await outcome(choose(one.ask, 'release', number))).toEqual(IN_USE);
  });

  it('stays assigned if the carrier does not accept its release', async () => {
    const [one] = [await account(), await account()];
    const number = newNumber();
    await assign(one.id, number);
    twilio.stock.add(number);
    await choose(one.ask, 'select', number);
    twilio.dropsResponses = true;
    try {
      expect((await choose(one.ask, 'release', number)).status).toBe(502);
    } finally {
      twilio.dropsResponses = false;
    }
    expect(await listNumbers(db())).toEqual([
      expect.objectContaining({ phoneNumber: number, provider: 'twilio', isAssigned: true }),
    ]);
  });

  it('cannot be deployed while its order is not confirmed, and the error says so', async () => {
    const [one] = [await account(), await account()];
    const number = newNumber();
    twilio.stock.add(number);
    twilio.dropsResponses = true;
    try {
      expect((await choose(one.ask, 'select', number)).status).toBe(502);
    } finally {
      twilio.dropsResponses = false;
    }
    const refused = await (await makeAgent(one.ask, number)).move('deploy');
    expect([refused.status, refused.body.code]).toEqual(NOT_OWNED);
    expect(refused.body.error).toContain('not confirmed');
    expect(refused.body.error).not.toContain('belongs to no account');
  });

  it('is never deployed and released at the same time', async () => {
    const [one] = [await account(), await account()];
    for (let round = 0; round < 8; round++) {
      const number = newNumber();
      twilio.stock.add(number);
      await choose(one.ask, 'select', number);
      const agent = await makeAgent(one.ask, number);
      const [deployed, released] = await Promise.all([
        agent.move('deploy'),
        choose(one.ask, 'release', number),
      ]);
      expect([deployed.status, released.status].sort()).toEqual([200, 409]);
      expect(await ownerOf(number)).toBe(deployed.status === 200 ? one.id : undefined);
    }
  });
});

describe('operator', () => {
  it('assigns a number while another account deploys it: exactly one succeeds', async () => {
    const [one, two] = [await account(), await account()];
    for (let round = 0; round < 8; round++) {
      const number = newNumber();
      await assign(one.id, number);
      const agent = await makeAgent(one.ask, number);
      const [deployed, moved] = await Promise.all([
        agent.move('deploy'),
        assign(two.id, number).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(AdminError);
            return false;
          },
        ),
      ]);
      expect(deployed.status === 200).toBe(!moved);
      expect(await ownerOf(number)).toBe(moved ? two.id : one.id);
    }
  });

  it('unassigns and moves numbers that no agent is deployed with and that were not ordered', async () => {
    const [one, two] = [await account(), await account()];
    const number = newNumber();
    await assign(one.id, number);
    await assign(one.id, number);
    const agent = await makeAgent(one.ask, number);
    await agent.move('deploy');
    await expect(unassignNumber(db(), number)).rejects.toThrow('pause it first');
    await expect(assign(two.id, number)).rejects.toThrow('pause it first');
    await agent.move('pause');
    await assign(two.id, number);
    expect(await listNumbers(db())).toEqual([
      {
        phoneNumber: number,
        accountId: two.id,
        accountName: expect.any(String),
        provider: null,
        isAssigned: true,
      },
    ]);
    await unassignNumber(db(), number);
    expect(await ownerOf(number)).toBeUndefined();
    await expect(unassignNumber(db(), number)).rejects.toThrow('assigned to no account');
    const ordered = newNumber();
    twilio.stock.add(ordered);
    const choice = { phone_number: ordered, provider: 'twilio' };
    await one.ask('POST', '/agent/select-phone-number', choice);
    await expect(assign(two.id, ordered)).rejects.toThrow('release the number first');
  });

  it('may write a number with separators; agents and numbers accept E.164 only', async () => {
    expect(readPhoneNumber('+1 (415) 555-0100')).toBe('+14155550100');
    for (const wrong of ['0049301234', '4155550100', '+0123', '+1415555010000000', 'sip:x@y']) {
      expect(() => readPhoneNumber(wrong)).toThrow(AdminError);
    }
    const { ask } = await account();
    for (const phone_number of ['+1 415 555 0100', '14155550100', 'tel:+14155550100', '+१४१५']) {
      expect((await ask('POST', '/agent', { name: 'x', config: { phone_number } })).status).toBe(
        422,
      );
    }
  });
});
