import { Refused, toText } from './coerce.js';
import { custom } from './fields.js';

/** `2026-02-10T12:00:00Z`, with an offset or without (then UTC), or a day. */
const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/i;

/** `2026-02-10`. */
const DAY_LENGTH = 10;
/** The last ms of a day, UTC. */
const DAY_ENDS = 'T23:59:59.999Z';

/**
 * A day or a moment in ISO 8601, read into a Date.
 * @param options with `isEnd` a day is its last moment, else its first, UTC.
 */
export function dateTime({ isEnd = false }: { readonly isEnd?: boolean } = {}) {
  return custom(
    (value) => {
      const date = readDateTime(value);
      const isDayOnly = isEnd && String(value).length === DAY_LENGTH;
      return date instanceof Date && isDayOnly ? new Date(`${value}${DAY_ENDS}`) : date;
    },
    { type: 'string', format: 'date-time' },
  );
}

function readDateTime(value: unknown): Date | Refused {
  const text = toText(value);
  if (text instanceof Refused) {
    return new Refused('datetime_type', 'Input should be a valid datetime');
  }
  const match = ISO_8601.exec(text);
  const hasTime = text.length > DAY_LENGTH;
  const date = new Date(match && hasTime && !match.groups?.zone ? `${text}Z` : text);
  if (match && !Number.isNaN(date.getTime()) && isDay(text.slice(0, DAY_LENGTH))) return date;
  const error = 'invalid character in year';
  return new Refused('datetime_parsing', `Input should be a valid datetime, ${error}`, { error });
}

/** JavaScript takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
