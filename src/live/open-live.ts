import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { CallCommands } from '../calls/call-commands.js';
import type { CallsRepository } from '../calls/calls.repository.js';
import type { RefusedNumbers } from '../calls/refused-numbers.js';
import type { KeyDirectory } from '../http/authenticate.js';
import type { Route } from '../http/route.js';
import type { SecretKeys } from '../secrets/secret-keys.js';
import type { SoundEncoders } from './call-sound.js';
import { GatewayLinks } from './gateway-links.js';
import { LinkServer } from './link-server.js';
import { LinkTokens } from './link-tokens.js';
import { liveRoutes } from './live.routes.js';
import { LiveDesk } from './live-desk.js';
import { LiveFollower } from './live-follower.js';
import { LiveHub } from './live-hub.js';
import { phoneCallRoutes } from './phone-call.routes.js';
import { RunningCallsRepository } from './running-calls.repository.js';

export interface LiveParts {
  readonly gatewayId: string;
  readonly db: Knex;
  readonly calls: Pick<CallsRepository, 'findEnded'>;
  readonly secrets: SecretKeys;
  readonly keys: KeyDirectory;
  readonly encoders: SoundEncoders;
  readonly log: Logger;
  /** Where other gateways reach this one; undefined where there can be none. */
  readonly address: string | undefined;
  /** Between signs that a stream lives. */
  readonly beatMs?: number;
  /** How often the API keys of open streams are checked, ms. Default: 5,000. */
  readonly keyCheckMs?: number;
  /** A gateway that is not reached for so long is given up. */
  readonly unreachableMs?: number;
}

/** Watching calls while they run, put together. */
export interface OpenLive {
  readonly hub: LiveHub;
  /** Lets other gateways in. @returns the `host:port` that they are told, where there can be any. */
  start(): Promise<string | undefined>;
  /** Streams of an account that are open here. */
  streams(accountId: string): number;
  routes(
    commands: Pick<CallCommands, 'say' | 'sendKeys' | 'transfer'>,
    refused: RefusedNumbers,
  ): readonly Route[];
  /** Sends who watches away. */
  close(): Promise<void>;
}

export function openLive(parts: LiveParts): OpenLive {
  const { gatewayId, db, calls, secrets, keys, encoders, log, address, beatMs, unreachableMs } =
    parts;
  const hub = new LiveHub();
  const tokens = new LinkTokens(secrets);
  const running = new RunningCallsRepository(db);
  let server: LinkServer | undefined;
  const links = new GatewayLinks(tokens);
  const follower = new LiveFollower({
    gatewayId,
    hub,
    links,
    running,
    calls,
    log,
    unreachableMs,
  });
  const desk = new LiveDesk({
    ...{ gatewayId, hub, links, encoders, follower, running, keys, keyCheckMs: parts.keyCheckMs },
    ...(beatMs && { beatMs }),
  });
  return {
    hub,
    async start() {
      if (address === undefined) return undefined;
      server = await LinkServer.open({ gatewayId, address, hub, encoders, tokens, log });
      return server.address;
    },
    streams: (accountId) => desk.streams(accountId),
    routes: (commands, refused) => [
      ...liveRoutes({ running, desk, commands }),
      ...phoneCallRoutes({ running, commands, refused }),
    ],
    async close() {
      desk.close();
      hub.close();
      const closing = server?.close();
      server = undefined;
      await closing;
    },
  };
}
