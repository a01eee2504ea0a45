import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';

export interface LiveKitServer {
  /** As in `http://127.0.0.1:41234`; clients take it with ws for http. */
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  logs(): string;
  stop(): Promise<void>;
}

const API_KEY = 'devkey';
const API_SECRET = 'secret'.repeat(6);

export interface LiveKitOptions {
  /** By default a free one. */
  readonly port?: number;
  /** As in `127.0.0.1:6379`; without it there is no SIP. */
  readonly redisAddress?: string;
  /** Told what happens in rooms. */
  readonly webhookUrl?: string;
}

/**
 * A real livekit-server on the loopback alone.
 * @param binary the need `livekit-server`
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
 * Nothing leaves the loopback: the server's own address is told, so it asks no STUN server; clients
 * are told one that is not there, or they would be told public ones; and there is no TCP port for
 * media, which would listen on every address.
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
