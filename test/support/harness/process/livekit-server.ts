import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';

export interface LiveKitServer {
  /** `http://127.0.0.1:PORT`; clients use the `ws` scheme. */
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  logs(): string;
  stop(): Promise<void>;
}

const API_KEY = 'devkey';
const API_SECRET = 'secret'.repeat(6);

export interface LiveKitOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** `HOST:PORT` of Redis; without it there is no SIP. */
  readonly redisAddress?: string;
  /** Receives LiveKit's webhooks. */
  readonly webhookUrl?: string;
}

/**
 * Starts livekit-server on loopback only.
 * @param binary path from the optional program `livekit-server`
 */
export async function startLiveKitServer(
  binary: string,
  options: LiveKitOptions = {},
): Promise<LiveKitServer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-livekit-'));
  const [anyPort, udpPort, stunPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const port = options.port ?? anyPort;
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'livekit.yaml');
  writeFileSync(config, configuration({ port, udpPort, stunPort }) + optional(options));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const server = await ServerProcess.start({
      command: binary,
      args: ['--config', config],
      env: { PATH: process.env.PATH },
      readyUrl: url,
      readyWithinMs: 60_000,
    });
    const stop = async () => {
      await server.kill();
      removeFolder();
    };
    return { url, apiKey: API_KEY, apiSecret: API_SECRET, logs: () => server.logs(), stop };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/**
 * Keeps all traffic on loopback. `node_ip` is set, so the server queries no STUN server. Clients
 * get a STUN address that does not exist instead of public ones. TCP media is off because it would
 * listen on every address.
 */
function configuration(ports: Readonly<Record<'port' | 'udpPort' | 'stunPort', number>>): string {
  return `port: ${ports.port}
bind_addresses: ["127.0.0.1"]
keys: { ${API_KEY}: ${API_SECRET} }
rtc:
  node_ip: 127.0.0.1
  use_external_ip: false
  enable_loopback_candidate: true
  interfaces: { includes: [lo] }
  udp_port: ${ports.udpPort}
  tcp_port: 0
  stun_servers: ["127.0.0.1:${ports.stunPort}"]
room: { auto_create: true, empty_timeout: 30, departure_timeout: 20 }
`;
}

function optional({ redisAddress, webhookUrl }: LiveKitOptions): string {
  return [
    ...(redisAddress ? [`redis: { address: ${redisAddress} }`] : []),
    ...(webhookUrl ? [`webhook: { urls: ["${webhookUrl}"], api_key: ${API_KEY} }`] : []),
    '',
  ].join('\n');
}
