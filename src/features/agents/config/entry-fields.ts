import type { z } from 'zod';
import { InvalidField, toText } from '../../../platform/http/validation/coerce.js';
import { custom, dict, str } from '../../../platform/http/validation/schema-builders.js';

const MAX_URL_LENGTH = 2_048;
const MAX_HEADERS = 50;
/** Source: RFC 9110, section 5.6.2 (token). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Visible characters, spaces and tabs, but no line breaks. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A field of an entry. For null and absence, the default is stored. */
export function orDefault<T extends z.ZodType>(field: T, value: z.output<T>) {
  return field
    .nullable()
    .default(value as never)
    .transform((given) => (given ?? value) as z.output<T>);
}

/** A secret. Absence keeps the stored one, null or an empty string clears it. */
export function secretText() {
  return str({ max: 4_096 })
    .nullable()
    .transform((text) => text || null)
    .optional();
}

/** A secret for a header, without line breaks. Absence keeps the stored one, null or an empty string clears it. */
export function headerSecret() {
  return str({ max: 4_096, pattern: HEADER_VALUE })
    .nullable()
    .transform((text) => text || null)
    .optional();
}

/** Headers that may contain secrets. Absence keeps the stored ones, null or an empty object clears them. */
export function secretHeaders() {
  return dict(str({ max: 8_192, pattern: HEADER_VALUE }))
    .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, {
      message: `there must be at most ${MAX_HEADERS} headers`,
    })
    .refine((headers) => Object.keys(headers).every((name) => HEADER_NAME.test(name)), {
      message: 'the name of a header must be an HTTP token',
    })
    .meta({ maxProperties: MAX_HEADERS, propertyNames: { pattern: HEADER_NAME.source } })
    .nullable()
    .transform((headers) => (headers && Object.keys(headers).length > 0 ? headers : null))
    .optional();
}

/** An http or https URL, stored as it was sent. */
export function webAddress() {
  return custom(readAddress, {
    type: 'string',
    format: 'uri',
    maxLength: MAX_URL_LENGTH,
    description: 'An https URL. http is allowed only for the hosts in OUTBOUND_ALLOWED_HOSTS.',
  });
}

function readAddress(value: unknown): string | InvalidField {
  const text = toText(value);
  if (text instanceof InvalidField) return text;
  if (text.length > MAX_URL_LENGTH) {
    return new InvalidField(
      'url_too_long',
      `URL should have at most ${MAX_URL_LENGTH} characters`,
      {
        max_length: MAX_URL_LENGTH,
      },
    );
  }
  if (!URL.canParse(text) || /[\0-\x20]/.test(text)) {
    const error = 'relative URL without a base';
    return new InvalidField('url_parsing', `Input should be a valid URL, ${error}`, { error });
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const expected_schemes = "'http' or 'https'";
    return new InvalidField('url_scheme', `URL scheme should be ${expected_schemes}`, {
      expected_schemes,
    });
  }
  if (url.username || url.password) {
    return InvalidField.ofRule('the URL must not contain a user name or password');
  }
  return text;
}
