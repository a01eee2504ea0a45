/**
 * What goes through the pipe between the gateway and a bridge process: the payload's length, the room
 * that it belongs to and its kind (each 32-bit, little-endian), then the payload.
 */
export interface Frame {
  readonly kind: FrameKind;
  /** The gateway's number of the room; 0 is the process itself. */
  readonly room: number;
  /** Valid until the next `push`. */
  readonly payload: Uint8Array;
}

/**
 * `message`: JSON. `audio`: s16le mono, the caller's at 16 kHz, the agent's at the wire's rate. `gap`: so
 * many samples (32-bit) of the caller's were dropped here.
 */
export type FrameKind = 'message' | 'audio' | 'gap';

const KINDS: readonly FrameKind[] = ['message', 'audio', 'gap'];
const HEAD = 12;
/** More than any message or second of sound has; a larger frame is no frame. */
export const MAX_PAYLOAD_BYTES = 262_144;

export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** @throws FrameError for a payload that no reader would take. */
export function toFrame(kind: FrameKind, room: number, payload: Uint8Array): Buffer {
  if (payload.length > MAX_PAYLOAD_BYTES) throw new FrameError('The payload is too large');
  const frame = Buffer.allocUnsafe(HEAD + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt32LE(room, 4);
  frame.writeUInt32LE(KINDS.indexOf(kind), 8);
  frame.set(payload, HEAD);
  return frame;
}

export function messageFrame(room: number, message: unknown): Buffer {
  return toFrame('message', room, Buffer.from(JSON.stringify(message)));
}

/** @param samples s16, as this machine has them: both ends are on it. */
export function audioFrame(room: number, samples: Int16Array): Buffer {
  return toFrame('audio', room, bytesOf(samples));
}

export function gapFrame(room: number, samples: number): Buffer {
  return toFrame('gap', room, bytesOf(Uint32Array.of(samples)));
}

export function readMessage(payload: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(payload));
}

/** @returns samples that the caller owns, from offset zero of their buffer. */
export function readSamples(payload: Uint8Array): Int16Array<ArrayBuffer> {
  return new Int16Array(new Uint8Array(payload).buffer, 0, payload.length >> 1);
}

export function readGap(payload: Uint8Array): number {
  return new Uint32Array(new Uint8Array(payload).buffer, 0, 1)[0] ?? 0;
}

/** Puts frames together again, however the pipe has cut them. */
export class IpcFrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws FrameError for bytes that are no frame. */
  push(bytes: Buffer, take: (frame: Frame) => void): void {
    const held = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    let at = 0;
    while (held.length - at >= HEAD) {
      const length = held.readUInt32LE(at);
      const kind = KINDS[held.readUInt32LE(at + 8)];
      if (length > MAX_PAYLOAD_BYTES || !kind) throw new FrameError('These bytes are no frame');
      const end = at + HEAD + length;
      if (held.length < end) break;
      take({ kind, room: held.readUInt32LE(at + 4), payload: held.subarray(at + HEAD, end) });
      at = end;
    }
    // A copy: the pipe's own buffer is not kept for the sake of a few bytes.
    this.#rest = Buffer.from(held.subarray(at));
  }
}

function bytesOf(samples: Int16Array | Uint32Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
