import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { AgentsRepository } from '../../agents/agents.repository.js';
import type { CallSlots } from '../../calls/call-slots.js';
import type { CallsRepository } from '../../calls/calls.repository.js';
import type { Config } from '../../config.js';
import type { Route } from '../../http/route.js';
import type { InboundCalls } from '../../webhooks/inbound-calls.js';
import type { PhoneConnections } from '../phone-connections.js';
import { audioSocketRoutes } from './audiosocket.routes.js';
import { AudioSocketCallsRepository } from './audiosocket-calls.repository.js';
import { AudioSocketDesk } from './audiosocket-desk.js';
import { AudioSocketServer } from './audiosocket-server.js';

export interface AudioSocketParts {
  readonly config: Pick<Config, 'AUDIOSOCKET_PORT' | 'AUDIOSOCKET_HOST'>;
  readonly db: Knex;
  readonly log: Logger;
  readonly calls: CallsRepository;
  readonly slots: CallSlots;
  readonly phones: PhoneConnections;
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
  const desk = new AudioSocketDesk({ calls, slots, inbound, registered });
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
