import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { isLanguage, LANGUAGES } from '../../media/languages.js';

/** A whole number. `what` completes the sentence "PORT must be …", as in all functions below. */
export function wholeNumber(min: number, max: number, what: string) {
  return z
    .string()
    .regex(/^\d{1,15}$/, what)
    .transform(Number)
    .refine((value) => value >= min && value <= max, what);
}

/** An upper limit; 0 = no limit. */
export const limit = () => wholeNumber(0, 1_000_000_000, 'a whole number (0 = no limit)');

/** @param protocols - with their colons */
export function url(protocols: readonly string[], what: string) {
  return z.string().refine((text) => {
    return URL.canParse(text) && protocols.includes(new URL(text).protocol);
  }, what);
}

/** A URL to which paths are appended. A trailing slash is removed. */
export const baseUrl = () =>
  url(['http:', 'https:'], 'an http or https URL').transform((text) => text.replace(/\/+$/, ''));

/** A key that is sent as a header: visible ASCII characters. */
export const headerKey = () =>
  z.string().regex(/^[\x21-\x7e]+$/, 'a key without spaces and line breaks');

/** A URL whose responses are trusted: https, or http on the loopback. */
export const trustedUrl = () =>
  url(['http:', 'https:'], 'an http or https URL').refine((text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
  }, 'an https URL (http on the loopback only)');

/** An address to listen on. */
export const host = () => z.string().regex(/^[\w.:-]+$/, 'a host name or an address');

/** A file or a folder. Relative paths become absolute. */
export const filePath = () => z.string().transform((text) => resolve(text));

/** A comma list. Spaces around the items are removed. */
export const list = () =>
  z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** Languages by their ISO 639-1 codes. Default: all supported languages. */
export const languages = () =>
  list()
    .refine(
      (codes) => codes.length > 0 && codes.every(isLanguage),
      `a comma list of ${LANGUAGES.join(', ')}`,
    )
    .default([...LANGUAGES]);

/** Hosts and networks that the egress guard allows. */
export const hostsOrNetworks = () =>
  list().refine(
    (items) => items.every(isHostOrNetwork),
    'a comma list of hosts or networks (CIDR)',
  );

function isHostOrNetwork(item: string): boolean {
  return item.includes('/') ? ipaddr.isValidCIDR(item) : /^[\w.:[\]-]+$/.test(item);
}

/** Trusted proxies, in the form of Express's `trust proxy`. */
export const proxies = () =>
  z
    .string()
    .refine(
      (text) =>
        /^(true|false|\d{1,2})$/.test(text) ||
        text.split(',').every((item) => isTrustedNetwork(item.trim())),
      'true, false, a number of proxies, or a comma list of addresses or networks',
    )
    .transform(trustedProxies);

function isTrustedNetwork(item: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(item)) return true;
  return item.includes('/') ? ipaddr.isValidCIDR(item) : ipaddr.isValid(item);
}

function trustedProxies(text: string): boolean | number | string[] {
  if (text === 'true') return true;
  if (text === 'false') return false;
  return /^\d+$/.test(text) ? Number(text) : text.split(',').map((item) => item.trim());
}

/** Whether an address or host name is this machine's loopback. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** Arguments for `refine`: a check that all of the settings are set or none, and its message. */
export function allOrNone(
  ...names: readonly string[]
): [check: (settings: Readonly<Record<string, unknown>>) => boolean, message: string] {
  const check = (settings: Readonly<Record<string, unknown>>) => {
    const set = names.filter((name) => settings[name] !== undefined);
    return set.length === 0 || set.length === names.length;
  };
  return [check, `${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be set together`];
}
