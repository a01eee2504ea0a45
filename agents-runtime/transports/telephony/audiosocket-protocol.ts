import type { Emit } from '../../../media/audio/stage.js';
import type { CarrierAction, CarrierEvent } from './carrier.js';

/** Source: the telephony notes, §6: Asterisk's AudioSocket. */
export const AUDIOSOCKET_KIND = { hangup: 0x00, uuid: 0x01, dtmf: 0x03, error: 0xff } as const;

/** Hz of each kind of audio. Source: the same. */
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
/** What Asterisk's dialplan application speaks. */
const USUAL_RATE = 8_000;
const KINDS: ReadonlyMap<number, number> = new Map([...RATES].map(([kind, rate]) => [rate, kind]));

const HEAD = 3;
const MAX_PAYLOAD_BYTES = 0xffff;
const UUID_LENGTH = 16;

/** Why Asterisk gives up, by its code. */
const ERRORS: Readonly<Record<number, string>> = {
  1: 'hang-up',
  2: 'a frame could not be forwarded',
  4: 'out of memory',
};

/** One packet, in a piece. */
export function audioSocketPacket(kind: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const packet = Buffer.allocUnsafe(HEAD + payload.length);
  packet.writeUInt8(kind, 0);
  packet.writeUInt16BE(payload.length, 1);
  packet.set(payload, HEAD);
  return packet;
}

/** A packet of audio. @throws RangeError for a rate (Hz) that the wire has no kind for. */
export function audioPacket(pcm: Int16Array, sampleRate: number): Buffer {
  const kind = KINDS.get(sampleRate);
  if (kind === undefined) throw new RangeError(`AudioSocket has no audio of ${sampleRate} Hz`);
  const packet = audioSocketPacket(kind, new Uint8Array(pcm.length * 2));
  for (let i = 0; i < pcm.length; i++) packet.writeInt16LE(pcm[i]!, HEAD + i * 2);
  return packet;
}

/** Sixteen bytes for a UUID's text. */
export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Packets out of a stream of bytes, however it is cut. It holds one packet at the most. */
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

  /** Bytes of a packet that is not whole yet. */
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

/** The most that the parser ever holds, bytes. */
export const MAX_HELD_BYTES = HEAD + MAX_PAYLOAD_BYTES;

/**
 * One AudioSocket connection's bytes ⇄ events and actions. It throws at nothing that comes in. The
 * stream is open when its first sound tells the rate; `settle` opens one that stays silent.
 */
export class AudioSocketCodec {
  readonly #parser = new AudioSocketParser();
  #uuid: string | undefined;
  #rate: number | undefined;
  #pcm = new Int16Array(0);

  /** Who it says it is; undefined before its first packet. */
  get uuid(): string | undefined {
    return this.#uuid;
  }

  read(chunk: Uint8Array, emit: Emit<CarrierEvent>): void {
    this.#parser.push(chunk, (kind, payload) => this.#onPacket(kind, payload, emit));
  }

  /** No sound came for a while: the usual rate holds. */
  settle(emit: Emit<CarrierEvent>): void {
    this.#open(USUAL_RATE, emit);
  }

  /** @returns undefined for what the wire has no packet for. */
  write(action: CarrierAction): Buffer | undefined {
    if (action.type === 'hangup') return audioSocketPacket(AUDIOSOCKET_KIND.hangup);
    // A packet of audio without any would make Asterisk drop the call.
    if (action.type !== 'audio' || action.pcm.length === 0) return undefined;
    return audioPacket(action.pcm, this.#rate ?? USUAL_RATE);
  }

  #onPacket(kind: number, payload: Buffer, emit: Emit<CarrierEvent>): void {
    if (kind === AUDIOSOCKET_KIND.uuid) {
      this.#onUuid(payload, emit);
      return;
    }
    if (this.#uuid === undefined) {
      emit({ type: 'error', message: 'The first packet is no UUID', isFatal: true });
      return;
    }
    const rate = RATES.get(kind);
    if (rate !== undefined) this.#onAudio(rate, payload, emit);
    else if (kind === AUDIOSOCKET_KIND.dtmf) onDigit(payload, emit);
    else if (kind === AUDIOSOCKET_KIND.hangup) emit({ type: 'close', reason: 'hangup' });
    else if (kind === AUDIOSOCKET_KIND.error) {
      const reason = ERRORS[payload[0] ?? 0] ?? 'unknown';
      emit({ type: 'error', message: `Asterisk reports an error: ${reason}`, isFatal: true });
    } else emit({ type: 'error', message: 'The packet is of no known kind', isFatal: false });
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
      custom: {},
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
  if (/^[0-9A-D*#]$/.test(digit)) emit({ type: 'dtmf', digit });
  else emit({ type: 'error', message: 'The digit is none', isFatal: false });
}
