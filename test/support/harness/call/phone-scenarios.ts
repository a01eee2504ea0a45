import { systemClock } from '../../../../agents-runtime/timing/system-clock.js';
import type { AgentConfigInput } from '../../../../src/features/agents/config/agent-config.schema.js';
import { AudioSocketCall } from '../../../../tools/simulator/audiosocket-call.js';
import { registerAudioSocket } from '../../../../tools/simulator/gateway-client.js';
import type { SimulatedCall } from '../../../../tools/simulator/simulated-call.js';
import { TwilioCall } from '../../../../tools/simulator/twilio/twilio-call.js';
import { resampleToPcm } from '../../../../tools/simulator/wav-file.js';
import { TWILIO } from '../../fakes/carrier.js';
import type { Product } from '../process/product.js';
import { makeAgent, SHOP } from './call-agents.js';

export const CALLER = '+15550100';
/** Variables of the call, with words that any recogniser transcribes correctly. */
export const VARIABLES = { place: 'the garden library in the city of Boston' };
/** Sample rate of telephone lines in Hz. */
export const LINE_RATE = 8_000;

export interface PhoneScenario {
  readonly call: SimulatedCall;
  readonly number: string;
}

let numbers = 0;

/** Prepares a call to a new agent with its own number. The call has not started to ring. */
export async function callByPhone(
  product: Product,
  carrier: 'twilio' | 'audiosocket',
  config: AgentConfigInput,
): Promise<PhoneScenario> {
  const number = `+1555${String(1000 + numbers++)}`;
  const agentId = await makeAgent(product, { ...SHOP, ...config, phone_number: number });
  if (carrier === 'twilio') {
    const call = new TwilioCall({
      clock: systemClock,
      gatewayUrl: product.url,
      ...TWILIO,
      from: CALLER,
      to: number,
    });
    return { call, number };
  }
  const { call_id, uuid, port } = await registerAudioSocket(
    { url: product.url, key: product.apiKey },
    {
      agent_id: agentId,
      from_number: CALLER,
      to_number: number,
      dynamic_variables: VARIABLES,
    },
  );
  const call = new AudioSocketCall({
    clock: systemClock,
    host: '127.0.0.1',
    port,
    uuid,
    callId: call_id,
  });
  return { call, number };
}

/** A text in the product's voice at the telephone sample rate. */
export async function spokenByProduct(product: Product, text: string): Promise<Int16Array> {
  const response = await fetch(`${product.url}/api/v1/tts/speech/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, audio_format: 'pcm_16000' }),
  });
  if (!response.ok)
    throw new Error(`The speech request failed: ${response.status} ${await response.text()}`);
  const pcm = new Int16Array(await response.arrayBuffer());
  return resampleToPcm(
    Float32Array.from(pcm, (sample) => sample / 32768),
    16_000,
    LINE_RATE,
  );
}
