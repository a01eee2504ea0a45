import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { abortable } from './abortable.js';
import type { AllowedHosts } from './allowed-hosts.js';
import { EgressError } from './egress-error.js';
import { isPublicAddress } from './public-address.js';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface EgressGuardOptions {
  readonly allowed: AllowedHosts;
  /** By default the system's resolver. */
  readonly resolve?: Resolve;
}

/** A connection must stand by then, TLS included. */
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;

/**
 * What stands between the service and every address that someone else chose: webhooks, tools, MCP.
 * `dispatcher` is given to undici's `request` and `fetch`; redirects are for its users to refuse.
 */
export class EgressGuard {
  readonly #allowed: AllowedHosts;
  readonly #resolve: Resolve;
  readonly dispatcher: Agent;

  constructor({ allowed, resolve = resolveBySystem }: EgressGuardOptions) {
    this.#allowed = allowed;
    this.#resolve = resolve;
    this.dispatcher = new Agent({
      connect: this.#connector(),
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    });
  }

  /** Judges an address by its text. @throws EgressError INSECURE_URL */
  checkUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
    if (!url || !isWeb || url.username || url.password) {
      throw new EgressError('INSECURE_URL', 'This is no web address that may be called');
    }
    if (url.protocol === 'http:' && !this.#allowed.has(url.hostname)) {
      throw new EgressError(
        'INSECURE_URL',
        'The URL must use https (http is only for hosts in OUTBOUND_ALLOWED_HOSTS)',
      );
    }
    return url;
  }

  async close(): Promise<void> {
    await this.dispatcher.destroy();
  }

  /**
   * Resolves a host once, checks every address, and connects to one of those very addresses: a name
   * that resolves to something else a moment later gains nothing.
   */
  #connector(): buildConnector.connector {
    return (options, callback) => {
      const tooLate = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
      abortable(this.#checkedAddresses(options.hostname), tooLate).then(
        (addresses) => {
          const connect = buildConnector({
            timeout: CONNECT_TIMEOUT_MS,
            lookup: lookupIn(addresses),
          });
          connect(options, callback);
        },
        (error: Error) => callback(error, null),
      );
    };
  }

  async #checkedAddresses(hostname: string): Promise<readonly LookupAddress[]> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    const addresses = family ? [{ address: host, family }] : await this.#resolveHost(host);
    // The host is on the list by its own name, or each of its addresses is on it or public.
    const isFine = ({ address }: LookupAddress) =>
      isPublicAddress(address) || this.#allowed.has(address);
    if (this.#allowed.has(host) || addresses.every(isFine)) return addresses;
    throw new EgressError(
      'BLOCKED_ADDRESS',
      'The host is not on the public Internet (OUTBOUND_ALLOWED_HOSTS can allow it)',
    );
  }

  async #resolveHost(host: string): Promise<readonly LookupAddress[]> {
    try {
      const addresses = await this.#resolve(host);
      if (addresses.length > 0) return addresses;
    } catch (cause) {
      throw new EgressError('UNREACHABLE', 'The host name could not be looked up', { cause });
    }
    throw new EgressError('UNREACHABLE', 'The host name has no address');
  }
}

function resolveBySystem(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true, verbatim: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

/** Answers the checked addresses, whatever is asked. A host that is an address asks for none. */
function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const first = addresses[0]!;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
