import { SimulateError } from './simulate-error.js';

export interface GatewayAccess {
  readonly url: string;
  readonly key: string | undefined;
}

/** A registered call that Asterisk may connect. */
export interface AudioSocketTicket {
  readonly call_id: string;
  readonly uuid: string;
  readonly port: number;
}

export interface AudioSocketCallRequest {
  readonly agent_id: string;
  readonly from_number?: string | undefined;
  readonly to_number?: string | undefined;
  readonly dynamic_variables?: Readonly<Record<string, string>>;
}

/** Registers a call as a dialplan does before it connects. */
export async function registerAudioSocket(
  gateway: GatewayAccess,
  order: AudioSocketCallRequest,
): Promise<AudioSocketTicket> {
  const answer = await request(gateway, 'POST', '/telephony/audiosocket/calls', order);
  return answer as AudioSocketTicket;
}

/** The phone number of an agent. */
export async function findAgentNumber(gateway: GatewayAccess, agentId: string): Promise<string> {
  const path = `/agent/${encodeURIComponent(agentId)}`;
  const { config } = (await request(gateway, 'GET', path)) as {
    readonly config?: { readonly phone_number?: string | null };
  };
  if (config?.phone_number) return config.phone_number;
  throw new SimulateError(
    `The agent ${agentId} has no phone number: set one, such as {"config": {"phone_number": "+15550199"}}, and deploy it`,
  );
}

async function request(
  { url, key }: GatewayAccess,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<unknown> {
  if (key === undefined) {
    throw new SimulateError('Set the API key: --key KEY, or PARLEY_KEY (see DATA_DIR/api-key)');
  }
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new SimulateError(`${url} does not respond: start the gateway, or correct --url`, {
      cause: error,
    });
  });
  const text = await answer.text();
  if (!answer.ok) throw new SimulateError(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
