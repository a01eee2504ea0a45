import { MediaError } from '../errors.js';

/** Wire types of fields. Source: Protocol Buffers, encoding guide. */
const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

/** One field of a protobuf message. */
export interface ProtoField {
  readonly number: number;
  /** Tag, length and content; a view of the message. */
  readonly bytes: Uint8Array;
  /** Content of a length-delimited or fixed-size field; empty for varints. */
  readonly content: Uint8Array;
}

/**
 * Splits a message into its fields.
 * @returns views of the message
 * @throws MediaError MODEL_CORRUPT
 */
export function readFields(message: Uint8Array): ProtoField[] {
  const fields: ProtoField[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = readVarint(message, at);
    const { start, end } = extentOf(message, tag.value & 7, tag.end);
    if (end > message.length) throw new MediaError('MODEL_CORRUPT', 'The model file is incomplete');
    fields.push({
      number: tag.value >>> 3,
      bytes: message.subarray(at, end),
      content: message.subarray(start, end),
    });
    at = end;
  }
  return fields;
}

/** Encodes a length-delimited field: a message, a text or bytes. @param number - of the field */
export function delimited(number: number, content: Uint8Array): Uint8Array {
  return joinBytes([
    Uint8Array.from([...varint((number << 3) | DELIMITED), ...varint(content.length)]),
    content,
  ]);
}

/**
 * Encodes a varint field.
 * @param number - of the field
 * @param value - an integer, 0…2⁵³ − 1
 */
export function numeric(number: number, value: number): Uint8Array {
  return Uint8Array.from([...varint((number << 3) | VARINT), ...varint(value)]);
}

/** Joins the parts into a new array. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function extentOf(message: Uint8Array, kind: number, at: number): { start: number; end: number } {
  if (kind === VARINT) {
    const { end } = readVarint(message, at);
    return { start: end, end };
  }
  if (kind === DELIMITED) {
    const length = readVarint(message, at);
    return { start: length.end, end: length.end + length.value };
  }
  if (kind === FIXED_32) return { start: at + 4, end: at + 4 };
  if (kind === FIXED_64) return { start: at + 8, end: at + 8 };
  throw new MediaError('MODEL_CORRUPT', 'A model file is not in ONNX form');
}

/**
 * Reads a varint. The value is exact up to 2⁵³, which is enough for tags and lengths; larger values are only skipped.
 */
function readVarint(message: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  let scale = 1;
  for (let end = at; end < message.length && end < at + 10; ) {
    const byte = message[end++]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end };
    scale *= 0x80;
  }
  throw new MediaError('MODEL_CORRUPT', 'A model file is not in ONNX form');
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
}
