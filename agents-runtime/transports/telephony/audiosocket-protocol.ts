import { isDtmfDigit } from '../../../media/audio/dtmf-tones.js';
import type { Emit } from '../../../media/audio/stage.js';
import type { CarrierAction, CarrierEvent } from './carrier.js';

/** Kinds of packets. Source: Asterisk, res_audiosocket. */
export const AUDIOSOCKET_KIND = { hangup: 0x00, uuid: 0x01, dtmf: 0x03, error: 0xff } as const;

/** Hz of each kind of audio packet. Source: Asterisk, res_audiosocket. */
const RATES: ReadonlyMap<number, number> = new Map([
  [0x10, 8_000],
  [0x11, 12_000],
  [0x12, 16_000],
  [0x13, 24_000],
  [0x14, 32_000],
  [0x15, 44_100],
  [0x16, 48_000],
  [0x17, 96_000],
  [0x18, 192_000],
]);
/** Rate of Asterisk's dialplan application. */
const DEFAULT_RATE = 8_000;
const KINDS: ReadonlyMap<number, number> = new Map([...RATES].map(([kind, rate]) => [rate, kind]));

const HEAD = 3;
const MAX_PAYLOAD_BYTES = 0xffff;
const UUID_LENGTH = 16;

/** Asterisk's error codes. */
const ERRORS: Readonly<Record<number, string>> = {
  1: 'hang-up',
  2: 'a frame could not be forwarded',
  4: 'out of memory',
};

/** Serialises a packet. */
export function audioSocketPacket(kind: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const packet = Buffer.allocUnsafe(HEAD + payload.length);
  packet.writeUInt8(kind, 0);
  packet.writeUInt16BE(payload.length, 1);
  packet.set(payload, HEAD);
  return packet;
}

/** Serialises an audio packet. @throws RangeError for a rate (Hz) that AudioSocket does not support */
export function audioPacket(pcm: Int16Array, sampleRate: number): Buffer {
  const kind = KINDS.get(sampleRate);
  if (kind === undefined) throw new RangeError(`AudioSocket has no audio of ${sampleRate} Hz`);
  const packet = audioSocketPacket(kind, new Uint8Array(pcm.length * 2));
  for (let i = 0; i < pcm.length; i++) packet.writeInt16LE(pcm[i]!, HEAD + i * 2);
  return packet;
}

/** The 16 bytes of a UUID. */
export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Reassembles packets from a byte stream. Holds at most one packet. */
export class AudioSocketParser {
  #held = Buffer.alloc(HEAD);
  #filled = 0;

  /** The payload is valid inside `emit`. */
  push(chunk: Uint8Array, emit: (kind: number, payload: Buffer) => void): void {
    for (let read = 0; read < chunk.length; ) {
      const length = this.#filled < HEAD ? HEAD : HEAD + this.#held.readUInt16BE(1);
      const count = Math.min(length - this.#filled, chunk.length - read);
      this.#makeRoom(length);
      this.#held.set(chunk.subarray(read, read + count), this.#filled);
      this.#filled += count;
      read += count;
      if (this.#filled < HEAD || this.#filled < HEAD + this.#held.readUInt16BE(1)) continue;
      const end = this.#filled;
      this.#filled = 0;
      emit(this.#held[0]!, this.#held.subarray(HEAD, end));
    }
  }

  /** Bytes of an incomplete packet. */
  get heldBytes(): number {
    return this.#filled;
  }

  #makeRoom(length: number): void {
    if (this.#held.length >= length) return;
    const larger = Buffer.alloc(length);
    larger.set(this.#held.subarray(0, this.#filled));
    this.#held = larger;
  }
}

/** Maximum size of an incomplete packet in bytes. */
export const MAX_HELD_BYTES = HEAD + MAX_PAYLOAD_BYTES;

/**
 * Converts the bytes of one AudioSocket connection to events, and actions to bytes. Invalid input never throws.
 * The first audio packet determines the rate and opens the stream; `settle` opens a silent one.
 */
export class AudioSocketCodec {
  readonly #parser = new AudioSocketParser();
  #uuid: string | undefined;
  #rate: number | undefined;
  #pcm = new Int16Array(0);

  /** The call's UUID; undefined before the first packet. */
  get uuid(): string | undefined {
    return this.#uuid;
  }

  read(chunk: Uint8Array, emit: Emit<CarrierEvent>): void {
    this.#parser.push(chunk, (kind, payload) => this.#onPacket(kind, payload, emit));
  }

  /** Opens a stream without audio at the default rate. */
  settle(emit: Emit<CarrierEvent>): void {
    this.#open(DEFAULT_RATE, emit);
  }

  /** @returns undefined for an action that AudioSocket does not support */
  write(action: CarrierAction): Buffer | undefined {
    if (action.type === 'hangup') return audioSocketPacket(AUDIOSOCKET_KIND.hangup);
    // Asterisk ends the call on an empty audio packet.
    if (action.type !== 'audio' || action.pcm.length === 0) return undefined;
    return audioPacket(action.pcm, this.#rate ?? DEFAULT_RATE);
  }

  #onPacket(kind: number, payload: Buffer, emit: Emit<CarrierEvent>): void {
    if (kind === AUDIOSOCKET_KIND.uuid) {
      this.#onUuid(payload, emit);
      return;
    }
    if (this.#uuid === undefined) {
      emit({ type: 'error', message: 'The first packet must be a UUID', isFatal: true });
      return;
    }
    const rate = RATES.get(kind);
    if (rate !== undefined) this.#onAudio(rate, payload, emit);
    else if (kind === AUDIOSOCKET_KIND.dtmf) onDigit(payload, emit);
    else if (kind === AUDIOSOCKET_KIND.hangup) emit({ type: 'close', reason: 'hangup' });
    else if (kind === AUDIOSOCKET_KIND.error) {
      const reason = ERRORS[payload[0] ?? 0] ?? 'unknown';
      emit({ type: 'error', message: `Asterisk reports an error: ${reason}`, isFatal: true });
    } else emit({ type: 'error', message: 'Unknown packet kind', isFatal: false });
  }

  #onUuid(payload: Buffer, emit: Emit<CarrierEvent>): void {
    if (payload.length !== UUID_LENGTH || this.#uuid !== undefined) {
      const message = this.#uuid ? 'The UUID comes once' : 'The UUID has 16 bytes';
      emit({ type: 'error', message, isFatal: this.#uuid === undefined });
      return;
    }
    const hex = payload.toString('hex');
    this.#uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  #open(sampleRate: number, emit: Emit<CarrierEvent>): void {
    if (this.#rate !== undefined || this.#uuid === undefined) return;
    this.#rate = sampleRate;
    emit({
      type: 'open',
      streamId: this.#uuid,
      callId: this.#uuid,
      sampleRate,
    });
  }

  #onAudio(rate: number, payload: Buffer, emit: Emit<CarrierEvent>): void {
    this.#open(rate, emit);
    if (rate !== this.#rate || payload.length % 2 !== 0) {
      const message = rate === this.#rate ? 'Audio has whole samples' : 'The rate has changed';
      emit({ type: 'error', message, isFatal: false });
      return;
    }
    const length = payload.length / 2;
    if (length === 0) return;
    if (this.#pcm.length < length) this.#pcm = new Int16Array(length);
    for (let i = 0; i < length; i++) this.#pcm[i] = payload.readInt16LE(i * 2);
    emit({ type: 'audio', pcm: this.#pcm.subarray(0, length) });
  }
}

function onDigit(payload: Buffer, emit: Emit<CarrierEvent>): void {
  const digit = payload.toString('latin1');
  if (isDtmfDigit(digit)) emit({ type: 'dtmf', digit });
  else {
    const message = 'The DTMF digit must be one of 0–9, A–D, * and #';
    emit({ type: 'error', message, isFatal: false });
  }
}
