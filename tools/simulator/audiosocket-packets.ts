/** Kinds of packets. Source: Asterisk, res_audiosocket. */
export const KIND = { hangUp: 0x00, uuid: 0x01, dtmf: 0x03 } as const;

/** The kind of packet that carries signed 16 bit sound of a rate in Hz. */
export const SOUND_KINDS: Readonly<Record<number, number>> = {
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

const HEAD = 3;

export function packet(kind: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const bytes = Buffer.alloc(HEAD + payload.length);
  bytes[0] = kind;
  bytes.writeUInt16BE(payload.length, 1);
  bytes.set(payload, HEAD);
  return bytes;
}

/** Samples as they stand in a packet, little endian. */
export function soundPacket(kind: number, pcm: Int16Array): Buffer {
  const bytes = Buffer.alloc(HEAD + 2 * pcm.length);
  bytes[0] = kind;
  bytes.writeUInt16BE(2 * pcm.length, 1);
  for (let i = 0; i < pcm.length; i++) bytes.writeInt16LE(pcm[i]!, HEAD + 2 * i);
  return bytes;
}

/** Cuts what comes over TCP, however it was split, into packets. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Bytes of a packet that is not whole yet. */
  get pending(): number {
    return this.#rest.length;
  }

  /** `payload` is valid during the call. */
  push(chunk: Buffer, emit: (kind: number, payload: Buffer) => void): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= HEAD) {
      const end = HEAD + bytes.readUInt16BE(1);
      if (bytes.length < end) break;
      emit(bytes[0]!, bytes.subarray(HEAD, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = Buffer.from(bytes);
  }
}
