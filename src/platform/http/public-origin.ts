import type { ServerSettings } from '../../config/server.settings.js';
import { isLoopback } from '../../config/setting-types.js';

/** The host in the form of a URL: IPv6 addresses in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

type AddressSettings = Pick<ServerSettings, 'PUBLIC_URL' | 'HOST'>;

/**
 * The origin at which clients reach this gateway, `http(s)://host[:port]`; undefined if it is
 * unknown. Unless the gateway listens on the loopback, only PUBLIC_URL defines it, never a Host header.
 */
export function httpOrigin(
  { PUBLIC_URL, HOST }: AddressSettings,
  port: number | undefined,
): string | undefined {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL;
  return isLoopback(HOST) ? `http://${hostInUrl(HOST)}:${port}` : undefined;
}

/** The origin of WebSockets, `ws(s)://host[:port]`. */
export function socketOrigin(
  settings: AddressSettings,
  port: number | undefined,
): string | undefined {
  return httpOrigin(settings, port)?.replace(/^http/, 'ws');
}
