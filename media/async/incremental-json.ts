import { randomUUID } from 'node:crypto';
import type { SteppedTask } from './cooperative.js';

/** UTF-16 units that are parsed in one step: about 0.25 ms. */
const UNITS_PARSED = 32_768;
/** Units that are scanned for the ends of items in one step. */
const UNITS_SCANNED = 262_144;
/** Items of a list that are written in one step. */
const ITEMS_WRITTEN = 200;

/**
 * Parses JSON like `JSON.parse`. A long list, either the whole text or a field of the top-level object,
 * is parsed in parts.
 * @param transform - applied to each part after it is parsed; default: none
 * @throws SyntaxError for invalid JSON
 */
export function* parseJsonInSteps(
  text: string,
  transform: (value: unknown) => unknown = (value) => value,
): SteppedTask<unknown> {
  const lists = text.length > UNITS_PARSED ? yield* longLists(text) : [];
  if (lists.length === 0) return transform(JSON.parse(text));
  const mark = randomUUID();
  const parsed = new Map<unknown, unknown[]>();
  let frame = '';
  let at = 0;
  for (const [index, { start, ends }] of lists.entries()) {
    const items: unknown[] = [];
    let from = start;
    for (const end of ends) {
      const part = transform(JSON.parse(`[${text.slice(from, end)}]`)) as unknown[];
      if (part.length === 0) throw new SyntaxError('An item is missing');
      for (const item of part) items.push(item);
      from = end + 1;
      yield;
    }
    parsed.set(`${mark}${index}`, items);
    frame += `${text.slice(at, start)}"${mark}${index}"`;
    at = from - 1;
  }
  return filled(transform(JSON.parse(frame + text.slice(at))), parsed);
}

/** Replaces the placeholders with the lists. */
function filled(value: unknown, lists: ReadonlyMap<unknown, unknown[]>): unknown {
  const listOf = (any: unknown) => (Array.isArray(any) ? lists.get(any[0]) : undefined);
  const whole = listOf(value);
  if (whole) return whole;
  const object = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(object)) {
    const value = listOf(field);
    const property = { value, enumerable: true, writable: true, configurable: true };
    // Assignment to "__proto__" would set the prototype.
    if (value) Object.defineProperty(object, name, property);
  }
  return object;
}

/** The start of a list after its bracket, and the ends of its parts: a comma or the closing bracket. */
interface LongList {
  readonly start: number;
  readonly ends: readonly number[];
}

/** Finds long lists by brackets and commas. Invalid JSON is detected when the parts are parsed. */
function* longLists(text: string): SteppedTask<readonly LongList[]> {
  const scan = new ListScan(text);
  while (!scan.isAtEnd) {
    scan.on(UNITS_SCANNED);
    yield;
  }
  return scan.lists;
}

class ListScan {
  readonly lists: LongList[] = [];
  readonly #text: string;
  readonly #isObject: boolean;
  #at = 0;
  #depth = 0;
  #isInString = false;
  /** The list that is being scanned. */
  #open: { readonly start: number; readonly depth: number; readonly ends: number[] } | undefined;
  #partStart = 0;

  constructor(text: string) {
    this.#text = text;
    this.#isObject = /^\s*\{/.test(text);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  on(units: number): void {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + units);
    let at = this.#at;
    let isInString = this.#isInString;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (isInString) {
        if (code === 0x5c) at++;
        else if (code === 0x22) isInString = false;
      } else if (code === 0x22) isInString = true;
      else if (code === 0x5b || code === 0x7b) this.#enter(at, code === 0x5b);
      else if (code === 0x5d || code === 0x7d) this.#leave(at);
      else if (code === 0x2c) this.#comma(at);
    }
    this.#at = at;
    this.#isInString = isInString;
  }

  #enter(at: number, isList: boolean): void {
    this.#depth++;
    if (!isList || this.#open || this.#depth > 2) return;
    if (this.#depth === 2 && !this.#isObject) return;
    this.#open = { start: at + 1, depth: this.#depth, ends: [] };
    this.#partStart = at + 1;
  }

  #leave(at: number): void {
    if (this.#open?.depth === this.#depth) {
      const { start, ends } = this.#open;
      if (ends.length > 0) this.lists.push({ start, ends: [...ends, at] });
      this.#open = undefined;
    }
    this.#depth--;
  }

  #comma(at: number): void {
    if (this.#open?.depth !== this.#depth || at - this.#partStart < UNITS_PARSED) return;
    this.#open.ends.push(at);
    this.#partStart = at + 1;
  }
}

/**
 * Writes JSON like `JSON.stringify`. A list of more than 200 items, either the whole value or a field of the
 * object, is written in parts.
 */
export function* stringifyInSteps(value: unknown): SteppedTask<string> {
  if (isLongList(value)) return yield* writtenList(value);
  if (!isPlain(value) || !Object.values(value).some(isLongList)) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    const written: string | undefined = isLongList(field)
      ? yield* writtenList(field)
      : JSON.stringify(field);
    if (written !== undefined) members.push(`${JSON.stringify(name)}:${written}`);
  }
  return `{${members.join(',')}}`;
}

function* writtenList(items: readonly unknown[]): SteppedTask<string> {
  const parts: string[] = [];
  for (let at = 0; at < items.length; at += ITEMS_WRITTEN) {
    parts.push(JSON.stringify(items.slice(at, at + ITEMS_WRITTEN)).slice(1, -1));
    yield;
  }
  return `[${parts.join(',')}]`;
}

/** Whether `stringifyInSteps` writes the value in parts. */
export function hasLongList(value: unknown): boolean {
  return isLongList(value) || (isPlain(value) && Object.values(value).some(isLongList));
}

function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ITEMS_WRITTEN;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)
  );
}
