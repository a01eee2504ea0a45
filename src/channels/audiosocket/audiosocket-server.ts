import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { AudioSocketConnection } from '../../../agents-runtime/transports/telephony/audiosocket-connection.js';
import type { PhoneTransport } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import type { MediaConnector } from '../../calls/session/media-connector.js';
import { StartError } from '../../config/start-error.js';
import type { AudioSocketCallsRepository } from './audiosocket-calls.repository.js';

/** Concurrent connections, including those that have not sent their UUID yet. */
const MAX_CONNECTIONS = 2_000;

export interface AudioSocketServerParts {
  readonly connector: Pick<MediaConnector, 'connect'>;
  readonly registrations: Pick<AudioSocketCallsRepository, 'redeem'>;
  readonly log: Logger;
}

/** The TCP server for Asterisk. The UUID is the only credential, so the address should be private. */
export class AudioSocketServer {
  readonly #parts: AudioSocketServerParts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(parts: AudioSocketServerParts) {
    this.#parts = parts;
    this.#server = createServer((socket) => this.#onSocket(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  get port(): number | undefined {
    return (this.#server.address() as AddressInfo | null)?.port;
  }

  /** @throws StartError if the port or the address is not available */
  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      const what = `AudioSocket cannot listen on ${host}:${port} (${code})`;
      const sentence = `${what}: set AUDIOSOCKET_PORT to a free port and AUDIOSOCKET_HOST to an address of this machine.`;
      throw new StartError(sentence, { cause: error });
    }
  }

  /** Stops listening and destroys the open connections. */
  close(): void {
    if (this.#server.listening) this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #onSocket(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const { registrations, connector, log } = this.#parts;
    let transport: PhoneTransport | undefined;
    let endedReason: EndedReason | undefined;
    const connection = new AudioSocketConnection(socket, systemClock, {
      async opened(uuid, sampleRate) {
        const callId = await registrations.redeem(uuid);
        if (callId === undefined) {
          log.warn('Refused an AudioSocket connection: its UUID is unknown, used or expired');
          return false;
        }
        const traits = { sampleRate, buffers: false };
        transport = connector.connect({ callId, link: connection, traits, log });
        // The connection broke during the search for its UUID.
        if (endedReason) transport.detach(endedReason);
        return true;
      },
      event: (event) => transport?.handle(event),
      ended: (how) => {
        endedReason = how === 'closed' ? 'user_hangup' : 'error_transport';
        transport?.detach(endedReason);
      },
    });
  }
}
