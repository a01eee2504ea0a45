import { createHash, createHmac } from 'node:crypto';
import { isSameHash } from '../../platform/secrets/timing-safe-equal.js';

/** The fields of a form in their order. Names may be repeated. */
export type FormFields = readonly (readonly [name: string, value: string])[];

/** A request or upgrade. */
export interface SignedRequest {
  /** The URL that Twilio requested, with its query. */
  readonly url: string;
  /** The fields of a form; empty for GET, upgrades and other bodies. */
  readonly fields?: FormFields;
  /** A body that is not a form. Its hash is in the URL. */
  readonly body?: Uint8Array;
}

/** The text of a form that Twilio signs: names in byte order, each with its distinct values. */
function formText(fields: FormFields): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of fields) values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, all]) =>
      [...all]
        .sort()
        .map((value) => name + value)
        .join(''),
    )
    .join('');
}

/**
 * The header `X-Twilio-Signature` of a request.
 * Source: Twilio's security documentation.
 */
export function signTwilio(authToken: string, url: string, fields: FormFields = []): string {
  return createHmac('sha1', authToken)
    .update(url + formText(fields))
    .digest('base64');
}

/**
 * Whether Twilio has signed a request, for any of the URL variants that its own library accepts. Takes
 * constant time.
 */
export function isSignedByTwilio(
  authToken: string,
  signature: string,
  { url, fields = [], body }: SignedRequest,
): boolean {
  if (!URL.canParse(url)) return false;
  const given = Buffer.from(signature);
  let isSigned = false;
  for (const spelling of spellings(url)) {
    const known = Buffer.from(signTwilio(authToken, spelling, fields));
    const isSame = isSameHash(given, known);
    isSigned = isSame || isSigned;
  }
  return isSigned && (body === undefined || hasHashOf(new URL(url), body));
}

function hasHashOf({ searchParams }: URL, body: Uint8Array): boolean {
  const given = Buffer.from((searchParams.get('bodySHA256') ?? '').toLowerCase());
  const known = Buffer.from(createHash('sha256').update(body).digest('hex'));
  return isSameHash(given, known);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  'https:': '443',
  'wss:': '443',
  'http:': '80',
  'ws:': '80',
};

/** The URL with and without port, with both encodings of its query, and for sockets with both schemes. */
function spellings(url: string): ReadonlySet<string> {
  const schemes = schemesOf(url);
  const slashed = schemes.flatMap((each) =>
    each.startsWith('ws') ? [each, withOtherSlash(each)] : [each],
  );
  const ported = slashed.flatMap((each) => [each, withoutPort(each), withPort(each)]);
  return new Set(ported.flatMap((each) => [each, withLegacyQuery(each)]));
}

/** Twilio signs a socket's upgrade as `wss`, or as `https` with proxies and older versions. */
function schemesOf(url: string): string[] {
  return /^wss?:/.test(url)
    ? [url, url.replace(/^ws/, 'http')].flatMap((each) =>
        each.startsWith('http') ? [each, withOtherSlash(each)] : [each],
      )
    : [url];
}

function withOtherSlash(url: string): string {
  const [path = '', query] = url.split('?', 2);
  const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  return query === undefined ? other : `${other}?${query}`;
}

/** Scheme, authority and the unchanged rest. */
function partsOf(url: string): readonly [scheme: string, host: string, rest: string] {
  const [, scheme = '', host = '', rest = ''] = /^(\w+:)\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  return [scheme, host, rest];
}

function withoutPort(url: string): string {
  const [scheme, host, rest] = partsOf(url);
  return `${scheme}//${host.replace(/:\d+$/, '')}${rest}`;
}

function withPort(url: string): string {
  const [scheme, host, rest] = partsOf(url);
  const hasPort = /:\d+$/.test(host);
  return hasPort ? url : `${scheme}//${host}:${DEFAULT_PORTS[scheme] ?? '443'}${rest}`;
}

/** Twilio's legacy encoding of spaces and some characters in queries. Source: its Node library. */
function withLegacyQuery(url: string): string {
  const at = url.indexOf('?');
  if (at === -1) return url;
  const pairs = new URLSearchParams(url.slice(at + 1));
  const query = [...pairs].map((pair) => pair.map(legacyEscape).join('=')).join('&');
  return `${url.slice(0, at)}?${query}`;
}

function legacyEscape(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*~]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
