import ipaddr from 'ipaddr.js';

/** IPv6 addresses of Internet hosts. Source: RFC 4291 and IANA's registry. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Public addresses that are served inside a cloud's network: Azure's platform address.
 * Source: Microsoft, "What is IP address 168.63.129.16?". Other clouds' metadata addresses are
 * link-local, unique local or shared ones.
 */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/**
 * Whether an IP address is a host of the open Internet: nothing private, shared, local, reserved or
 * multicast, and no IPv6 form that carries such an IPv4 address (mapped, NAT64, 6to4, Teredo …).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !PLATFORM_ADDRESSES.has(address.toString());
  return address.match(GLOBAL_UNICAST);
}
