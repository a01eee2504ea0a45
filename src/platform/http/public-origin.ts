import ipaddr from 'ipaddr.js';

/** A host as it stands in a URL. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

interface AddressSettings {
  readonly PUBLIC_URL?: string | undefined;
  readonly HOST: string;
}

/**
 * Where others reach this gateway: `http(s)://host[:port]`. Never made from a Host header: off the
 * loopback only PUBLIC_URL says it.
 */
export function httpOrigin(
  { PUBLIC_URL, HOST }: AddressSettings,
  port: number | undefined,
): string | undefined {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL;
  return isLoopback(HOST) ? `http://${hostInUrl(HOST)}:${port}` : undefined;
}

/** Where clients open sockets: `ws(s)://host[:port]`. */
export function socketOrigin(
  settings: AddressSettings,
  port: number | undefined,
): string | undefined {
  return httpOrigin(settings, port)?.replace(/^http/, 'ws');
}
