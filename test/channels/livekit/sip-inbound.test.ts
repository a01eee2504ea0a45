import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RoomCaller } from '../../../agents-runtime/transports/livekit/room-transport.js';
import { SipInbound, type SipInboundParts } from '../../../src/channels/livekit/sip-inbound.js';
import type { Agent } from '../../../src/features/agents/agent.model.js';

const AGENT = { id: 'a', accountId: 'one', status: 'deployed', config: {} } as unknown as Agent;

function sipInbound(owners: Readonly<Record<string, string>>) {
  const reserved: (string | null)[] = [];
  const parts: SipInboundParts = {
    agents: { find: async () => AGENT },
    calls: { find: async () => undefined, accountRefusalOf: async () => undefined },
    slots: {
      gatewayRefusalOf: () => undefined,
      reserve: async ({ toNumber }, callId) => {
        reserved.push(toNumber ?? null);
        return { type: 'reserved', callId: callId! } as never;
      },
    },
    inboundWebhooks: {
      optionsFor: async () => ({}),
    } as unknown as SipInboundParts['inboundWebhooks'],
    numbers: {
      isForeign: async (accountId, number) => (owners[number] ?? accountId) !== accountId,
    },
  };
  const ring = (trunkNumber: string) => {
    const attributes = { 'sip.phoneNumber': '+15550111', 'sip.trunkPhoneNumber': trunkNumber };
    const caller = { isPhone: true, attributes } as unknown as RoomCaller;
    return new SipInbound(parts).reserve(randomUUID(), { accountId: 'one', agentId: 'a' }, caller);
  };
  return { ring, reserved };
}

describe('inbound LiveKit SIP call', () => {
  it('is refused for an agent with a number of another account', async () => {
    const { ring, reserved } = sipInbound({ '+15550100': 'two' });
    expect(await ring('15550100')).toBe('agent_not_deployed');
    expect(reserved).toEqual([]);
  });

  it("is accepted on the account's number and on one without an owner", async () => {
    const { ring, reserved } = sipInbound({ '+15550100': 'one' });
    expect([await ring('+15550100'), await ring('+15550101')]).toEqual([undefined, undefined]);
    expect(reserved).toEqual(['+15550100', '+15550101']);
  });
});
