import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AllowedHosts } from './allowed-hosts.js';
import { EgressError } from './egress-error.js';
import { isPublicAddress } from './public-address.js';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface EgressGuardOptions {
  readonly allowed: AllowedHosts;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
}

/** Time to connect, including TLS. */
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;

/**
 * Checks every address that a user chose: webhooks, tools, MCP servers. Pass `dispatcher` to undici's
 * `request` and `fetch`. Its users must reject redirects.
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

  /** Checks the text of a URL. @throws EgressError INSECURE_URL */
  checkUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
    if (!url || !isWeb || url.username || url.password) {
      throw new EgressError(
        'INSECURE_URL',
        'The URL must be an http or https URL without credentials',
      );
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
   * Resolves a host once, checks every address, and connects to one of these addresses. A later change of
   * the name has no effect.
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
    // Either the host is allowed by its name, or each address is allowed or public.
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
      throw new EgressError('UNREACHABLE', 'The lookup of the host name failed', { cause });
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

/** A lookup that always returns the checked addresses. It is not called for a host that is an address. */
function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const first = addresses[0]!;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Waits for a promise until the signal fires. A later result or error of the promise is ignored. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
  try {
    // The race also handles the rejection of the promise that settles last.
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
