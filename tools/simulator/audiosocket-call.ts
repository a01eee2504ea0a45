import { connect, type Socket } from 'node:net';
import type { Clock } from '../../agents-runtime/contract/clock.js';
import {
  AUDIO_KINDS,
  encodeAudioPacket,
  encodePacket,
  KIND,
  PacketReader,
} from './audiosocket-packets.js';
import { type ProtocolViolation, ProtocolViolations } from './protocol-violations.js';
import { SimulateError } from './simulate-error.js';
import type { CallEnd, SimulatedCall } from './simulated-call.js';
import { FRAME_MS, MAX_LEAD_MS, SimulatedLeg } from './simulated-leg.js';

/** Length of the phone's jitter buffer: Asterisk does not smooth audio. */
const JITTER_BUFFER_MS = 60;
/** Asterisk's own limit for connecting. */
const CONNECT_WITHIN_MS = 2_000;

export interface AudioSocketCallOptions {
  readonly clock: Clock;
  readonly host: string;
  readonly port: number;
  readonly uuid: string;
  /** The gateway's id of the call. */
  readonly callId?: string;
  /** Of the channel, Hz. Default: 8000. */
  readonly sampleRate?: number;
  readonly driftPpm?: number;
  /** Length of the phone's jitter buffer, ms. */
  readonly holdMs?: number;
  readonly isRecorded?: boolean;
}

/** A call through Asterisk's AudioSocket. Asterisk opens the connection. */
export class AudioSocketCall implements SimulatedCall {
  readonly leg: SimulatedLeg;
  readonly callId: string | undefined;
  readonly ended: Promise<CallEnd>;
  readonly #options: AudioSocketCallOptions;
  readonly #kind: number;
  readonly #reader = new PacketReader();
  readonly #faults = new ProtocolViolations();
  #socket: Socket | undefined;
  #end: ((end: CallEnd) => void) | undefined;
  #isOver = false;

  constructor(options: AudioSocketCallOptions) {
    const { clock, sampleRate = 8000, driftPpm, holdMs = JITTER_BUFFER_MS, isRecorded } = options;
    const kind = AUDIO_KINDS[sampleRate];
    if (kind === undefined) {
      const rates = Object.keys(AUDIO_KINDS).join(', ');
      throw new SimulateError(`AudioSocket does not support ${sampleRate} Hz: use one of ${rates}`);
    }
    this.#options = options;
    this.#kind = kind;
    this.callId = options.callId;
    this.leg = new SimulatedLeg({
      clock,
      sampleRate,
      driftPpm,
      isRecorded,
      holdMs,
      send: (frame) => this.#socket?.write(encodeAudioPacket(kind, frame)),
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get faults(): readonly ProtocolViolation[] {
    return this.#faults.list;
  }

  async ring(): Promise<'answered' | 'ended'> {
    const { host, port, uuid } = this.#options;
    const socket = connect({ host, port, noDelay: true, timeout: CONNECT_WITHIN_MS });
    await new Promise<void>((resolve, reject) => {
      const failed = () =>
        reject(
          new SimulateError(
            `Nothing listens on ${host}:${port}: set AUDIOSOCKET_PORT of the gateway`,
          ),
        );
      socket.once('connect', resolve).once('error', failed).once('timeout', failed);
    });
    socket.setTimeout(0);
    socket.removeAllListeners('error');
    socket.on('error', () => this.#finish({ by: 'gateway', how: 'broke the connection' }));
    socket.on('close', () => this.#finish({ by: 'gateway', how: 'closed the connection' }));
    socket.on('data', (chunk) => {
      this.#reader.push(chunk, (kind, payload) => this.#onPacket(kind, payload));
    });
    this.#socket = socket;
    socket.write(encodePacket(KIND.uuid, Buffer.from(uuid.replaceAll('-', ''), 'hex')));
    this.leg.start();
    return 'answered';
  }

  press(digits: string): void {
    for (const digit of digits)
      this.#socket?.write(encodePacket(KIND.dtmf, Buffer.from(digit, 'latin1')));
  }

  /** Closes the connection: AudioSocket has no hang-up packet from Asterisk. */
  hangUp(): void {
    this.#finish({ by: 'caller', how: 'hung up' });
  }

  #onPacket(kind: number, payload: Buffer): void {
    if (this.#isOver) return;
    if (kind === KIND.hangUp) {
      if (payload.length > 0) this.#drop('the hang-up packet is not empty');
      this.#finish({ by: 'gateway', how: 'hung up' });
    } else if (kind !== this.#kind) {
      const name = `0x${kind.toString(16).padStart(2, '0')}`;
      this.#drop(`a packet is of the kind ${name}, which Asterisk does not take on this channel`);
    } else if (payload.length === 0) {
      this.#drop('a packet of sound is empty');
    } else {
      this.#play(payload);
    }
  }

  #play(payload: Buffer): void {
    const { leg: line } = this;
    const frameBytes = (2 * line.sampleRate * FRAME_MS) / 1000;
    if (payload.length !== frameBytes) {
      const what = `a packet has ${payload.length} bytes of sound, 20 ms are ${frameBytes}`;
      this.#faults.add('partial-frame', what, line.atMs);
    }
    const pcm = new Int16Array(payload.length >> 1);
    for (let i = 0; i < pcm.length; i++) pcm[i] = payload.readInt16LE(2 * i);
    line.play(pcm);
    if (line.waitingMs > MAX_LEAD_MS) {
      const what = 'sound comes faster than it plays: Asterisk does not pace it';
      this.#faults.add('lead', what, line.atMs);
    }
  }

  /** Drops the call, as Asterisk does. */
  #drop(what: string): void {
    this.#faults.add('audiosocket', what, this.leg.atMs);
    this.#finish({ by: 'carrier', how: 'dropped the call: the gateway broke the rules' });
  }

  #finish(end: CallEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.leg.stop();
    this.#socket?.end();
    if (this.#reader.pending > 0) {
      this.#faults.add('audiosocket', 'the last packet is not whole', this.leg.atMs);
    }
    this.#end?.(end);
  }
}
