import { MediaError } from '../../errors.js';

/**
 * A message in the pipes between the gateway and the eSpeak program: two lengths (32-bit, little-endian),
 * a head in JSON and a body of samples, which may be empty.
 */
export interface EspeakFrame {
  readonly head: unknown;
  /** The receiver owns it. */
  readonly body: Uint8Array<ArrayBuffer>;
}

const LENGTHS = 8;
/** Maximum size of a frame: more than any valid frame has. */
const MAX_BYTES = 4_194_304;
const NOTHING = new Uint8Array(0);

/** Encodes a frame. @param body - default: empty */
export function encodeFrame(head: unknown, body: Uint8Array = NOTHING): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const bytes = new Uint8Array(LENGTHS + text.length + body.length);
  const lengths = new DataView(bytes.buffer);
  lengths.setUint32(0, text.length, true);
  lengths.setUint32(4, body.length, true);
  bytes.set(text, LENGTHS);
  bytes.set(body, LENGTHS + text.length);
  return bytes;
}

/** Reassembles frames from the chunks of a pipe. */
export class EspeakFrameReader {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** @returns the frames that the bytes complete @throws MediaError INTERNAL for a frame above 4 MiB */
  push(bytes: Uint8Array): EspeakFrame[] {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    const frames: EspeakFrame[] = [];
    while (this.#length >= LENGTHS) {
      const held = this.#join();
      const lengths = new DataView(held.buffer, held.byteOffset, held.byteLength);
      const headEnd = LENGTHS + lengths.getUint32(0, true);
      const end = headEnd + lengths.getUint32(4, true);
      if (end > MAX_BYTES)
        throw new MediaError('INTERNAL', `A frame has more than ${MAX_BYTES} bytes`);
      if (held.length < end) break;
      const head = JSON.parse(new TextDecoder().decode(held.subarray(LENGTHS, headEnd)));
      frames.push({ head, body: new Uint8Array(held.subarray(headEnd, end)) });
      this.#parts = [held.subarray(end)];
      this.#length -= end;
    }
    return frames;
  }

  #join(): Uint8Array {
    const [only] = this.#parts;
    if (only && this.#parts.length === 1) return only;
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    this.#parts = [joined];
    return joined;
  }
}
