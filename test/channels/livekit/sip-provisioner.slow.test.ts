import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SipClient } from 'livekit-server-sdk';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SipProvisioner } from '../../../src/channels/livekit/sip-provisioner.js';
import type { Agent } from '../../../src/features/agents/agent.model.js';
import { makeAgentId } from '../../../src/features/agents/agent.model.js';
import { ApiError } from '../../../src/platform/http/api-error.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { accessTo } from '../../support/harness/app/livekit-gateway.js';
import { freePort } from '../../support/harness/process/free-port.js';
import {
  type LiveKitServer,
  startLiveKitServer,
} from '../../support/harness/process/livekit-server.js';
import { describeWith } from '../../support/harness/process/required-tools.js';
import { type RedisServer, startRedisServer } from '../../support/programs/redis-server.js';

const log = pino({ level: 'silent' });
/** Every account may use every number. */
const OWNED = { requireUsable: async () => undefined };
let count = 0;

function agentWith(phoneNumber: string | null): Agent {
  const config = { phone_number: phoneNumber };
  return { id: makeAgentId(), accountId: 'acc', name: 'Pool', config } as unknown as Agent;
}

const newNumber = () => `+1555010${String(++count).padStart(4, '0')}`;

describeWith(['livekit-server', 'redis-server'], 'LiveKit SIP resources', (tools) => {
  let redis: RedisServer;
  let server: LiveKitServer;
  let sip: SipClient;
  let provisioner: SipProvisioner;
  beforeAll(async () => {
    redis = await startRedisServer(tools['redis-server']);
    const options = { redisAddress: redis.address };
    server = await startLiveKitServer(tools['livekit-server'], options);
    sip = new SipClient(server.url, server.apiKey, server.apiSecret);
    provisioner = new SipProvisioner(accessTo(server), OWNED, log);
  });
  afterAll(async () => {
    await server?.stop();
    await redis?.stop();
  });

  const plane = withControlPlane({
    provisioner: {
      provisionAgent: (agent) => provisioner.provisionAgent(agent),
      deprovisionAgent: (agent) => provisioner.deprovisionAgent(agent),
    },
  });

  const trunksOf = async (number: string) =>
    (await sip.listSipInboundTrunk()).filter(({ numbers }) => numbers.includes(number));
  const rulesFor = async ({ id }: Agent) =>
    (await sip.listSipDispatchRule()).filter(({ metadata }) => metadata.includes(id));

  it('contain one trunk per selected number, for repeated selections on any gateway', async () => {
    const number = newNumber();
    const others = new SipProvisioner(accessTo(server), OWNED, log);
    await Promise.all([provisioner.provisionNumber(number), others.provisionNumber(number)]);
    await provisioner.provisionNumber(number);
    expect(await trunksOf(number)).toMatchObject([{ numbers: [number] }]);
    await provisioner.deprovisionNumber(number);
    await provisioner.deprovisionNumber(number);
    expect(await trunksOf(number)).toEqual([]);
  });

  it('contain a dispatch rule for a deployed agent, which a pause removes', async () => {
    const number = newNumber();
    const agent = agentWith(number);
    const result = await provisioner.provisionAgent(agent);
    const [trunk] = await trunksOf(number);
    const [rule, ...more] = await rulesFor(agent);
    expect(more).toEqual([]);
    expect(result).toEqual({
      sip_status: 'configured',
      sip_details: {
        phone_number: number,
        trunk_id: trunk?.sipTrunkId,
        dispatch_rule_id: rule?.sipDispatchRuleId,
        error: null,
      },
    });
    expect(rule?.trunkIds).toEqual([trunk?.sipTrunkId]);
    expect(rule?.rule?.rule).toMatchObject({
      case: 'dispatchRuleIndividual',
      value: { roomPrefix: 'phone' },
    });
    const [dispatch] = rule?.roomConfig?.agents ?? [];
    expect(dispatch?.agentName).toBe('parley');
    expect(JSON.parse(dispatch?.metadata ?? '')).toEqual({
      account_id: agent.accountId,
      agent_id: agent.id,
    });
    expect(rule?.roomConfig?.departureTimeout).toBe(20);
    expect(await provisioner.provisionAgent(agent)).toEqual(result);
    expect(await rulesFor(agent)).toHaveLength(1);
    await provisioner.deprovisionAgent(agent);
    await provisioner.deprovisionAgent(agent);
    expect(await rulesFor(agent)).toEqual([]);
    expect(await trunksOf(number)).toHaveLength(1);
  });

  it('move with an agent to its new number, and to the agent that has the number now', async () => {
    const [before, after] = [newNumber(), newNumber()];
    const agent = agentWith(before);
    await provisioner.provisionAgent(agent);
    const moved = { ...agent, config: { ...agent.config, phone_number: after } };
    await provisioner.provisionAgent(moved);
    const [rule, ...more] = await rulesFor(agent);
    expect(more).toEqual([]);
    expect(rule?.trunkIds).toEqual([(await trunksOf(after))[0]?.sipTrunkId]);
    const next = agentWith(after);
    expect((await provisioner.provisionAgent(next))?.sip_status).toBe('configured');
    expect(await rulesFor(agent)).toEqual([]);
    await provisioner.provisionAgent({ ...next, config: { ...next.config, phone_number: null } });
    expect(await rulesFor(next)).toEqual([]);
  });

  it('follow deploy, update and pause of an agent, and the response contains the result', async () => {
    const numbers = [newNumber(), newNumber()];
    const ask = await plane.asNewAccount(...numbers);
    const config = { phone_number: numbers[0] };
    const { agent_id: id } = (await ask('POST', '/agent', { name: 'Pool', config })).body;
    const rules = () => rulesFor({ id } as Agent);
    const deployed = await ask('POST', `/agent/${id}/deploy`);
    expect(deployed.body).toMatchObject({
      agent: { status: 'deployed' },
      sip_status: 'configured',
      sip_details: { phone_number: numbers[0], dispatch_rule_id: expect.any(String) },
    });
    expect(await rules()).toHaveLength(1);
    const update = { config: { phone_number: numbers[1] } };
    expect((await ask('PUT', `/agent/${id}`, update)).status).toBe(200);
    const [trunk] = await trunksOf(numbers[1]!);
    expect(await rules()).toMatchObject([{ trunkIds: [trunk?.sipTrunkId] }]);
    expect((await ask('POST', `/agent/${id}/pause`)).status).toBe(200);
    expect(await rules()).toEqual([]);
    const plain = (await ask('POST', '/agent', { name: 'No number', config: {} })).body.agent_id;
    const answer = (await ask('POST', `/agent/${plain}/deploy`)).body;
    expect(Object.keys(answer).sort()).toEqual(['agent', 'message']);
  });

  it('are not taken over by an account that does not own the number, and the response says so', async () => {
    const number = newNumber();
    const owner = agentWith(number);
    await provisioner.provisionAgent(owner);
    const refusing = {
      requireUsable: async () => {
        throw new ApiError('PHONE_NUMBER_IN_USE', 'It belongs to another account');
      },
    };
    const late = new SipProvisioner(accessTo(server), refusing, log);
    const otherAgent = agentWith(number);
    expect(await late.provisionAgent(otherAgent)).toMatchObject({
      sip_status: 'failed',
      sip_details: { dispatch_rule_id: null, error: 'It belongs to another account' },
    });
    expect(await rulesFor(otherAgent)).toEqual([]);
    expect(await rulesFor(owner)).toHaveLength(1);
  });

  it('do not block a deployment while LiveKit is unavailable, and the response says so', async () => {
    const there = provisioner;
    provisioner = new SipProvisioner(
      { ...accessTo(server), apiUrl: `http://127.0.0.1:${await freePort()}` },
      OWNED,
      log,
    );
    try {
      const config = { phone_number: newNumber() };
      const ask = await plane.asNewAccount(config.phone_number);
      const { agent_id: id } = (await ask('POST', '/agent', { name: 'Pool', config })).body;
      const { status, body } = await ask('POST', `/agent/${id}/deploy`);
      expect([status, body.agent.status, body.sip_status]).toEqual([200, 'deployed', 'failed']);
      expect(body.sip_details.error).toContain('is unreachable');
      expect((await ask('POST', `/agent/${id}/pause`)).body.agent.status).toBe('paused');
    } finally {
      provisioner = there;
    }
  });

  it("reuse and keep the operator's trunk, and report a failure for the operator's rule", async () => {
    const number = newNumber();
    const own = await sip.createSipInboundTrunk('The operator', [number]);
    const agent = agentWith(number);
    expect((await provisioner.provisionAgent(agent))?.sip_details.trunk_id).toBe(own.sipTrunkId);
    await provisioner.deprovisionAgent(agent);
    await provisioner.deprovisionNumber(number);
    expect(await trunksOf(number)).toHaveLength(1);
    const rule = { type: 'individual', roomPrefix: 'hall' } as const;
    await sip.createSipDispatchRule(rule, { trunkIds: [own.sipTrunkId] });
    expect(await provisioner.provisionAgent(agent)).toMatchObject({
      sip_status: 'failed',
      sip_details: { error: 'LiveKit has another dispatch rule or trunk for this number' },
    });
  });

  it("keep numbers in LiveKit's error messages out of the log", async () => {
    const number = newNumber();
    const msg = `Conflicting inbound SIP Trunks: using the same number(s) ["${number}"]`;
    const refusing = createServer((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 'invalid_argument', msg }));
    });
    await once(refusing.listen(0, '127.0.0.1'), 'listening');
    const logged: string[] = [];
    const heard = pino({ level: 'warn' }, { write: (result) => void logged.push(result) });
    const { port } = refusing.address() as AddressInfo;
    const there = { ...accessTo(server), apiUrl: `http://127.0.0.1:${port}` };
    const failed = await new SipProvisioner(there, OWNED, heard).provisionAgent(agentWith(number));
    refusing.close();
    expect(failed).toMatchObject({
      sip_status: 'failed',
      sip_details: { error: 'LiveKit has another dispatch rule or trunk for this number' },
    });
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toContain(number);
  });

  it('are reported as unavailable without Redis and without LiveKit', async () => {
    const plain = await startLiveKitServer(tools['livekit-server']);
    const agent = agentWith(newNumber());
    const warnings: string[] = [];
    const heard = pino({ level: 'warn' }, { write: (result) => void warnings.push(result) });
    const without = new SipProvisioner(accessTo(plain), OWNED, heard);
    // Without a phone number there is nothing to report.
    expect(await without.provisionAgent(agentWith(null))).toBeUndefined();
    await without.deprovisionAgent(agent);
    expect(warnings).toEqual([]);
    const failed = await without.provisionAgent(agent);
    await plain.stop();
    expect(await without.provisionAgent(agentWith(null))).toBeUndefined();
    expect(failed).toMatchObject({
      sip_status: 'failed',
      sip_details: { error: expect.stringContaining('Redis') },
    });
    expect(await without.provisionAgent(agent)).toMatchObject({
      sip_status: 'failed',
      sip_details: { error: expect.stringContaining('is unreachable') },
    });
    await without.deprovisionAgent(agent);
    await without.provisionNumber(newNumber());
    await without.deprovisionNumber(newNumber());
  });
});
