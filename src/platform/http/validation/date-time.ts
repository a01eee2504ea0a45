import { InvalidField, toText } from './coerce.js';
import { custom } from './schema-builders.js';

/** `2026-02-10T12:00:00Z`, with an offset or without (then UTC), or a day. */
const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/i;

/** `2026-02-10`. */
const DAY_LENGTH = 10;
/** The last ms of a day, UTC. */
const DAY_ENDS = 'T23:59:59.999Z';

/**
 * A day or a moment in ISO 8601.
 * @param options - with `isEnd`, a day means its last moment, otherwise its first moment, UTC
 */
export function dateTime({ isEnd = false }: { readonly isEnd?: boolean } = {}) {
  return custom((value) => readDateTime(value, isEnd), { type: 'string', format: 'date-time' });
}

function readDateTime(value: unknown, isEnd: boolean): Date | InvalidField {
  const text = toText(value);
  if (text instanceof InvalidField) {
    return new InvalidField('datetime_type', 'Input should be a valid datetime');
  }
  const match = ISO_8601.exec(text);
  const date = new Date(match ? momentOf(text, match.groups?.zone, isEnd) : text);
  if (match && !Number.isNaN(date.getTime()) && isDay(text.slice(0, DAY_LENGTH))) return date;
  const error = 'invalid character in year';
  return new InvalidField('datetime_parsing', `Input should be a valid datetime, ${error}`, {
    error,
  });
}

/** The moment with a time zone. Default: UTC. */
function momentOf(text: string, zone: string | undefined, isEnd: boolean): string {
  const isDayOnly = text.length === DAY_LENGTH;
  if (isDayOnly) return isEnd ? text + DAY_ENDS : text;
  return zone === undefined ? `${text}Z` : text;
}

/** Whether the day exists. `Date` parses 30 February as 2 March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
