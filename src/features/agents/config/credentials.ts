import type { Authentication, AuthType } from '../../../../agents-runtime/contract/agent-config.js';
import type { Seal } from './settings-table.js';

/** The credentials of a tool or an MCP server in a request. */
interface Credentials {
  readonly auth_token?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
}

/** Encrypted credentials. The headers are one JSON text. */
interface SealedCredentials {
  readonly auth_token?: string | null | undefined;
  readonly headers?: string | null | undefined;
}

export type WithSealedCredentials<T> = Omit<T, keyof SealedCredentials> & SealedCredentials;

/** Absent and null credentials stay absent and null. */
export function sealCredentials<T extends Credentials>(
  entry: T,
  seal: Seal,
): WithSealedCredentials<T> {
  const { auth_token, headers, ...rest } = entry;
  return {
    ...rest,
    auth_token: auth_token && seal(auth_token),
    headers: headers && seal(JSON.stringify(headers)),
  };
}

interface Destination extends SealedCredentials {
  readonly name: string;
  readonly url: string;
}

/** Keeps credentials that an update leaves out, but only for an entry with the same name and address. */
export function keepCredentials<T extends Destination>(
  stored: readonly Destination[] | null | undefined,
  update: readonly T[],
): T[] {
  return update.map((entry) => {
    const before = stored?.find(({ name, url }) => name === entry.name && url === entry.url);
    return {
      ...entry,
      auth_token: givenOr(entry.auth_token, before?.auth_token),
      headers: givenOr(entry.headers, before?.headers),
    };
  });
}

interface Signed {
  readonly url: string;
  readonly secret?: string | null | undefined;
}

export function sealSecret<T extends Signed>(hook: T, seal: Seal): T {
  return hook.secret ? { ...hook, secret: seal(hook.secret) } : hook;
}

/** Keeps a secret that an update leaves out, but only for the address for which it was given. */
export function keepSecret<T extends Signed>(hook: T, stored: readonly Signed[]): T {
  const before = stored.find(({ url }) => url === hook.url);
  return { ...hook, secret: givenOr(hook.secret, before?.secret) };
}

function givenOr(
  given: string | null | undefined,
  before: string | null | undefined,
): string | null {
  return given === undefined ? (before ?? null) : given;
}

/** @throws SealError if the key of a secret is missing */
export function decryptCredentials(
  entry: SealedCredentials & { readonly auth_type: AuthType },
  decrypt: (sealed: string) => string,
): Authentication {
  return {
    type: entry.auth_type,
    token: entry.auth_token ? decrypt(entry.auth_token) : null,
    headers: entry.headers ? JSON.parse(decrypt(entry.headers)) : {},
  };
}
