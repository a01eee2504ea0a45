import type { RequestHandler } from 'express';
import type { Route } from '../platform/http/route.js';
import type { SocketRoute } from '../platform/http/websocket-router.js';
import { type AudioSocketParts, openAudioSocket } from './open-audiosocket.js';
import { openTwilio, type TwilioParts } from './open-twilio.js';

export type TelephonyParts = TwilioParts & AudioSocketParts;

/** What a carrier's folder opens; what it has no need of is left out. */
interface OpenCarrier {
  readonly routes?: readonly Route[];
  /** Its webhooks. */
  readonly root?: RequestHandler;
  readonly socket?: SocketRoute;
  /** @throws StartError */
  listen?(): Promise<void>;
  close?(): void;
}

/** Whoever adds a carrier adds its folder, and names it here. */
const CARRIERS: readonly ((parts: TelephonyParts) => OpenCarrier)[] = [openTwilio, openAudioSocket];

/** All carriers, put together; those without settings refuse whatever comes. */
export function openTelephony(parts: TelephonyParts) {
  const carriers = CARRIERS.map((open) => open(parts));
  return {
    routes: carriers.flatMap(({ routes }) => routes ?? []),
    roots: carriers.flatMap(({ root }) => root ?? []),
    sockets: carriers.flatMap(({ socket }) => socket ?? []),
    /** @throws StartError */
    async listen(): Promise<void> {
      for (const carrier of carriers) await carrier.listen?.();
    },
    close(): void {
      for (const carrier of carriers) carrier.close?.();
    },
  };
}
