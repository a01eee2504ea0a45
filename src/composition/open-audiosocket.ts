import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { CallSlots } from '../calls/admission/call-slots.js';
import type { MediaConnector } from '../calls/session/media-connector.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import { audioSocketRoutes } from '../channels/audiosocket/audiosocket.routes.js';
import { AudioSocketCallsRepository } from '../channels/audiosocket/audiosocket-calls.repository.js';
import { AudioSocketRegistration } from '../channels/audiosocket/audiosocket-registration.js';
import { AudioSocketServer } from '../channels/audiosocket/audiosocket-server.js';
import type { Config } from '../config/config.js';
import { AgentsRepository } from '../features/agents/agents.repository.js';
import type { InboundCalls } from '../features/webhooks/inbound-call-webhook.js';
import type { Route } from '../platform/http/route.js';

export interface AudioSocketParts {
  readonly config: Pick<Config, 'AUDIOSOCKET_PORT' | 'AUDIOSOCKET_HOST'>;
  readonly db: Knex;
  readonly log: Logger;
  readonly calls: CallsRepository;
  readonly slots: CallSlots;
  readonly phones: MediaConnector;
  readonly inboundCalls: InboundCalls;
}

/** Everything about AudioSocket, put together. */
export interface OpenAudioSocket {
  readonly routes: readonly Route[];
  /** Does nothing where no port is set. @throws StartError */
  listen(): Promise<void>;
  close(): void;
}

/** Puts AudioSocket together; nothing is listened for before `listen`. */
export function openAudioSocket(parts: AudioSocketParts): OpenAudioSocket {
  const { config, db, calls, slots, inboundCalls: inbound } = parts;
  const registered = new AudioSocketCallsRepository(db);
  const desk = new AudioSocketRegistration({ calls, slots, inbound, registered });
  const server = new AudioSocketServer({ ...parts, registered });
  return {
    routes: audioSocketRoutes({
      agents: new AgentsRepository(db),
      desk,
      port: () => server.port,
    }),
    async listen() {
      const { AUDIOSOCKET_PORT: port, AUDIOSOCKET_HOST: host } = config;
      if (port !== undefined) await server.listen(port, host);
    },
    close: () => server.close(),
  };
}
