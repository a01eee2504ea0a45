import ipaddr from 'ipaddr.js';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** `OUTBOUND_ALLOWED_HOSTS`: private hosts and networks that are allowed, also by http. */
export class AllowedHosts {
  readonly #names = new Set<string>();
  readonly #ranges: Range[] = [];

  /** Host names, IP addresses and CIDRs. */
  constructor(list: readonly string[]) {
    for (const entry of list) {
      if (ipaddr.isValidCIDR(entry)) this.#ranges.push(ipaddr.parseCIDR(entry));
      else this.#names.add(withoutBrackets(entry.toLowerCase()));
    }
  }

  /** Whether a host, as written in a URL, is on the list. A name is not resolved. */
  has(host: string): boolean {
    const name = withoutBrackets(host.toLowerCase());
    if (this.#names.has(name)) return true;
    if (!ipaddr.isValid(name)) return false;
    const address = ipaddr.process(name);
    return this.#ranges.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
  }
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
