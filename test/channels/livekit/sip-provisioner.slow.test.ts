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

describeWith(['livekit-server', 'redis-server'], 'lines of LiveKit SIP', (tools) => {
  let redis: RedisServer;
  let server: LiveKitServer;
  let sip: SipClient;
  let lines: SipProvisioner;
  beforeAll(async () => {
    redis = await startRedisServer(tools['redis-server']);
    const options = { redisAddress: redis.address };
    server = await startLiveKitServer(tools['livekit-server'], options);
    sip = new SipClient(server.url, server.apiKey, server.apiSecret);
    lines = new SipProvisioner(accessTo(server), OWNED, log);
  });
  afterAll(async () => {
    await server?.stop();
    await redis?.stop();
  });

  const plane = withControlPlane({
    lines: {
      provisionAgent: (agent) => lines.provisionAgent(agent),
      deprovisionAgent: (agent) => lines.deprovisionAgent(agent),
    },
  });

  const trunksOf = async (number: string) =>
    (await sip.listSipInboundTrunk()).filter(({ numbers }) => numbers.includes(number));
  const rulesFor = async ({ id }: Agent) =>
    (await sip.listSipDispatchRule()).filter(({ metadata }) => metadata.includes(id));

  it('give a selected number one trunk, however often and by whichever gateway it is selected', async () => {
    const number = newNumber();
    const others = new SipProvisioner(accessTo(server), OWNED, log);
    await Promise.all([lines.provisionNumber(number), others.provisionNumber(number)]);
    await lines.provisionNumber(number);
    expect(await trunksOf(number)).toMatchObject([{ numbers: [number] }]);
    await lines.deprovisionNumber(number);
    await lines.deprovisionNumber(number);
    expect(await trunksOf(number)).toEqual([]);
  });

  it('give a deployed agent a rule that dispatches it, and take it away when it is paused', async () => {
    const number = newNumber();
    const agent = agentWith(number);
    const line = await lines.provisionAgent(agent);
    const [trunk] = await trunksOf(number);
    const [rule, ...more] = await rulesFor(agent);
    expect(more).toEqual([]);
    expect(line).toEqual({
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
    expect(await lines.provisionAgent(agent)).toEqual(line);
    expect(await rulesFor(agent)).toHaveLength(1);
    await lines.deprovisionAgent(agent);
    await lines.deprovisionAgent(agent);
    expect(await rulesFor(agent)).toEqual([]);
    expect(await trunksOf(number)).toHaveLength(1);
  });

  it('move with an agent to its new number, and to the agent that has the number now', async () => {
    const [before, after] = [newNumber(), newNumber()];
    const agent = agentWith(before);
    await lines.provisionAgent(agent);
    const moved = { ...agent, config: { ...agent.config, phone_number: after } };
    await lines.provisionAgent(moved);
    const [rule, ...more] = await rulesFor(agent);
    expect(more).toEqual([]);
    expect(rule?.trunkIds).toEqual([(await trunksOf(after))[0]?.sipTrunkId]);
    const next = agentWith(after);
    expect((await lines.provisionAgent(next))?.sip_status).toBe('configured');
    expect(await rulesFor(agent)).toEqual([]);
    await lines.provisionAgent({ ...next, config: { ...next.config, phone_number: null } });
    expect(await rulesFor(next)).toEqual([]);
  });

  it('follow deploy, update and pause of an agent; the answer tells how it went', async () => {
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

  it('are not taken over by an account that does not own the number, and the answer says so', async () => {
    const number = newNumber();
    const owner = agentWith(number);
    await lines.provisionAgent(owner);
    const refusing = {
      requireUsable: async () => {
        throw new ApiError('PHONE_NUMBER_IN_USE', 'It belongs to another account');
      },
    };
    const late = new SipProvisioner(accessTo(server), refusing, log);
    const stranger = agentWith(number);
    expect(await late.provisionAgent(stranger)).toMatchObject({
      sip_status: 'failed',
      sip_details: { dispatch_rule_id: null, error: 'It belongs to another account' },
    });
    expect(await rulesFor(stranger)).toEqual([]);
    expect(await rulesFor(owner)).toHaveLength(1);
  });

  it('leave an agent deployed, and say so, when LiveKit is away', async () => {
    const there = lines;
    lines = new SipProvisioner(
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
      lines = there;
    }
  });

  it("use an operator's trunk for the number and leave it; a rule of the operator's is a failure that is told", async () => {
    const number = newNumber();
    const own = await sip.createSipInboundTrunk('The operator', [number]);
    const agent = agentWith(number);
    expect((await lines.provisionAgent(agent))?.sip_details.trunk_id).toBe(own.sipTrunkId);
    await lines.deprovisionAgent(agent);
    await lines.deprovisionNumber(number);
    expect(await trunksOf(number)).toHaveLength(1);
    const rule = { type: 'individual', roomPrefix: 'hall' } as const;
    await sip.createSipDispatchRule(rule, { trunkIds: [own.sipTrunkId] });
    expect(await lines.provisionAgent(agent)).toMatchObject({
      sip_status: 'failed',
      sip_details: { error: 'LiveKit has another dispatch rule or trunk for this number' },
    });
  });

  it('keep the numbers that LiveKit names in a refusal out of the log', async () => {
    const number = newNumber();
    const msg = `Conflicting inbound SIP Trunks: using the same number(s) ["${number}"]`;
    const refusing = createServer((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 'invalid_argument', msg }));
    });
    await once(refusing.listen(0, '127.0.0.1'), 'listening');
    const logged: string[] = [];
    const heard = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });
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

  it('fail in words without Redis, and without LiveKit', async () => {
    const plain = await startLiveKitServer(tools['livekit-server']);
    const agent = agentWith(newNumber());
    const warnings: string[] = [];
    const heard = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
    const without = new SipProvisioner(accessTo(plain), OWNED, heard);
    // Who needs no line is told of none, and nobody of what could not be there.
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
