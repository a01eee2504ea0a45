import { toFloat32 } from '../../media/audio/pcm.js';
import type { AgentConfigInput } from '../../src/features/agents/config/agent-config.schema.js';
import type { ConnectionDetails } from '../support/harness/call/call-client.js';
import type { RunningGateway } from './gateway.js';

/** Creates and deploys an agent. @returns its ID */
export async function makeAgent(
  gateway: RunningGateway,
  config: AgentConfigInput,
): Promise<string> {
  const { agent_id: id } = (await post(gateway, '/agent/', { name: 'Bench', config })) as {
    readonly agent_id: string;
  };
  await post(gateway, `/agent/${id}/deploy`, {});
  return id;
}

/** Requests connection details for a call. */
export async function requestConnection(
  gateway: RunningGateway,
  agentId: string,
): Promise<ConnectionDetails> {
  const body = { agent_id: agentId, transport: 'websocket' };
  return (await post(gateway, '/connection/connection-details', body)) as ConnectionDetails;
}

async function post({ url, key }: RunningGateway, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Synthesises a question with the gateway's voice at 16 kHz. */
export async function synthesiseQuestion(
  { url, key }: RunningGateway,
  text: string,
): Promise<Float32Array> {
  const response = await fetch(`${url}/api/v1/tts/speech/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, audio_format: 'pcm_16000' }),
  });
  const pcm = new Int16Array(await response.arrayBuffer());
  const samples = new Float32Array(pcm.length);
  toFloat32(pcm, samples);
  return samples;
}
