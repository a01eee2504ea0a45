import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { isLanguage, LANGUAGES } from '../../media/languages.js';
import { isLoopback } from '../platform/http/public-origin.js';

/** A whole number; `what` completes the sentence "PORT must be …", here and below. */
export function wholeNumber(min: number, max: number, what: string) {
  return z
    .string()
    .regex(/^\d{1,15}$/, what)
    .transform(Number)
    .refine((value) => value >= min && value <= max, what);
}

/** How many there may be of something; 0 = any number. */
export const limit = () => wholeNumber(0, 1_000_000_000, 'a whole number (0 = no limit)');

/** @param protocols with their colons */
export function url(protocols: readonly string[], what: string) {
  return z.string().refine((text) => {
    return URL.canParse(text) && protocols.includes(new URL(text).protocol);
  }, what);
}

/** An address to which paths are added: without a slash at its end. */
export const baseUrl = () =>
  url(['http:', 'https:'], 'an http or https URL').transform((text) => text.replace(/\/+$/, ''));

/** A key that is sent as a header, so of visible ASCII characters. */
export const headerKey = () =>
  z.string().regex(/^[\x21-\x7e]+$/, 'a key without blanks and line breaks');

/** An address whose answers are believed: https, or http on this machine, where nobody is in between. */
export const trustedUrl = () =>
  url(['http:', 'https:'], 'an http or https URL').refine((text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
  }, 'an https URL (http on the loopback only)');

/** Where to listen. */
export const host = () => z.string().regex(/^[\w.:-]+$/, 'a host name or an address');

/** A file or a folder, as an absolute path. */
export const filePath = () => z.string().transform((text) => resolve(text));

/** A comma list without blanks. */
export const list = () =>
  z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** Languages by their ISO 639-1 codes; by default all that the product knows. */
export const languages = () =>
  list()
    .refine(
      (codes) => codes.length > 0 && codes.every(isLanguage),
      `a comma list of ${LANGUAGES.join(', ')}`,
    )
    .default([...LANGUAGES]);

/** Hosts and networks that a check lets through. */
export const hostsOrNetworks = () =>
  list().refine(
    (items) => items.every(isHostOrNetwork),
    'a comma list of hosts or networks (CIDR)',
  );

function isHostOrNetwork(item: string): boolean {
  return item.includes('/') ? ipaddr.isValidCIDR(item) : /^[\w.:[\]-]+$/.test(item);
}

/** Which proxies to believe, in the form of Express's `trust proxy`. */
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
