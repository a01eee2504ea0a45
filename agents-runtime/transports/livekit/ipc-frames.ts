import { CallError } from '../../contract/errors.js';

/**
 * A frame on the pipe between the gateway and a bridge process: length of the payload, number of the room
 * and kind (each 32-bit, little-endian), then the payload.
 */
export interface IpcFrame {
  readonly kind: FrameKind;
  /** The gateway's number of the room; 0 addresses the process. */
  readonly room: number;
  /** Valid until the next `push`. */
  readonly payload: Uint8Array;
}

/**
 * `message`: JSON. `audio`: s16le mono, the caller's at 16 kHz, the agent's at `ROOM_RATE`. `gap`: number
 * (32-bit) of samples of the caller that were dropped here.
 */
export type FrameKind = 'message' | 'audio' | 'gap';

const KINDS: readonly FrameKind[] = ['message', 'audio', 'gap'];
const HEAD = 12;
/** More than any message or one second of audio needs. */
export const MAX_IPC_PAYLOAD_BYTES = 262_144;

/** @throws CallError PROTOCOL for a payload that is too large */
export function toFrame(kind: FrameKind, room: number, payload: Uint8Array): Buffer {
  if (payload.length > MAX_IPC_PAYLOAD_BYTES)
    throw new CallError('PROTOCOL', 'The payload is too large');
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

/** @param samples - in the byte order of this machine, on which both ends run */
export function audioFrame(room: number, samples: Int16Array): Buffer {
  return toFrame('audio', room, bytesOf(samples));
}

export function gapFrame(room: number, samples: number): Buffer {
  return toFrame('gap', room, bytesOf(Uint32Array.of(samples)));
}

export function readIpcMessage(payload: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(payload));
}

/** @returns a copy of the samples, at offset zero of its buffer */
export function readSamples(payload: Uint8Array): Int16Array<ArrayBuffer> {
  return new Int16Array(new Uint8Array(payload).buffer, 0, payload.length >> 1);
}

export function readGap(payload: Uint8Array): number {
  return new Uint32Array(new Uint8Array(payload).buffer, 0, 1)[0] ?? 0;
}

/** Reassembles frames from the chunks of a pipe. */
export class IpcFrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws CallError PROTOCOL for bytes that are not a frame */
  push(bytes: Buffer, take: (frame: IpcFrame) => void): void {
    const held = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    let at = 0;
    while (held.length - at >= HEAD) {
      const length = held.readUInt32LE(at);
      const kind = KINDS[held.readUInt32LE(at + 8)];
      if (length > MAX_IPC_PAYLOAD_BYTES || !kind) {
        throw new CallError('PROTOCOL', 'These bytes are no frame');
      }
      const end = at + HEAD + length;
      if (held.length < end) break;
      take({ kind, room: held.readUInt32LE(at + 4), payload: held.subarray(at + HEAD, end) });
      at = end;
    }
    // A copy, so that a few bytes do not retain the pipe's buffer.
    this.#rest = Buffer.from(held.subarray(at));
  }
}

function bytesOf(samples: Int16Array | Uint32Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
