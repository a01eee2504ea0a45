/** Kinds of packets. Source: Asterisk, res_audiosocket. */
export const KIND = { hangUp: 0x00, uuid: 0x01, dtmf: 0x03 } as const;

/** The kind of packet for signed 16-bit audio, by sample rate in Hz. */
export const AUDIO_KINDS: Readonly<Record<number, number>> = {
  8000: 0x10,
  12000: 0x11,
  16000: 0x12,
  24000: 0x13,
  32000: 0x14,
  44100: 0x15,
  48000: 0x16,
  96000: 0x17,
  192000: 0x18,
};

const HEADER_BYTES = 3;

export function encodePacket(kind: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + payload.length);
  bytes[0] = kind;
  bytes.writeUInt16BE(payload.length, 1);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Encodes samples, little endian. */
export function encodeAudioPacket(kind: number, pcm: Int16Array): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + 2 * pcm.length);
  bytes[0] = kind;
  bytes.writeUInt16BE(2 * pcm.length, 1);
  for (let i = 0; i < pcm.length; i++) bytes.writeInt16LE(pcm[i]!, HEADER_BYTES + 2 * i);
  return bytes;
}

/** Splits a TCP stream into packets. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Bytes of the incomplete last packet. */
  get pending(): number {
    return this.#rest.length;
  }

  /** `payload` is valid during the call. */
  push(chunk: Buffer, emit: (kind: number, payload: Buffer) => void): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + bytes.readUInt16BE(1);
      if (bytes.length < end) break;
      emit(bytes[0]!, bytes.subarray(HEADER_BYTES, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = Buffer.from(bytes);
  }
}
