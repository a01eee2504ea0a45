import ipaddr from 'ipaddr.js';

/** A host as it stands in a URL. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/**
 * Where clients open sockets: `ws(s)://host:port`. Never made from a Host header: off the loopback
 * only PUBLIC_URL says where clients find us.
 */
export function socketOrigin(
  { PUBLIC_URL, HOST }: { readonly PUBLIC_URL?: string | undefined; readonly HOST: string },
  port: number | undefined,
): string | undefined {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL.replace(/^http/, 'ws');
  return isLoopback(HOST) ? `ws://${hostInUrl(HOST)}:${port}` : undefined;
}
