import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../contract/clock.js';
import { FaultBoundary } from '../../timing/fault-boundary.js';
import { AudioSocketCodec } from './audiosocket-protocol.js';
import type { CarrierAction, CarrierEvent, CarrierLink } from './carrier.js';

/** Time to the first packet, which identifies the call. Source: Asterisk, res_audiosocket. */
const UUID_TIMEOUT_MS = 2_000;
/** Without audio for this time, the connection uses the default rate. */
const AUDIO_TIMEOUT_MS = 500;
/** Time for unsent data at the end before the socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface AudioSocketListener {
  /** The first event: the stream is open. Nothing is read until the result, whether the call is accepted. */
  opened(uuid: string, sampleRate: number): Promise<boolean>;
  event(event: CarrierEvent): void;
  /** The socket has ended, or was refused. Called once. */
  ended(how: 'closed' | 'broken' | 'refused'): void;
}

/** The TCP connection of one call from Asterisk. */
export class AudioSocketConnection implements CarrierLink {
  readonly #boundary = new FaultBoundary({
    report: (error) =>
      this.#onEvent({ type: 'error', message: `AudioSocket: ${String(error)}`, isFatal: true }),
    end: () => {
      this.#socket.destroy();
      this.#end('broken');
    },
  });
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #listener: AudioSocketListener;
  readonly #codec = new AudioSocketCodec();
  #timer: Timer | undefined;
  /** The first packet has identified the call. */
  #isNamed = false;
  #isOpen = false;
  #hasEnded = false;
  #isClosed = false;

  constructor(socket: Socket, clock: Clock, listener: AudioSocketListener) {
    this.#socket = socket;
    this.#clock = this.#boundary.clock(clock);
    this.#listener = listener;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 10_000);
    this.#timer = this.#clock.after(UUID_TIMEOUT_MS, () => this.#refuse());
    socket.on('data', (chunk: Buffer) => this.#boundary.run(() => this.#onData(chunk)));
    socket.on('end', () => this.#end('closed'));
    socket.on('error', () => this.#end('broken'));
    socket.on('close', () => this.#end('closed'));
  }

  get backlogBytes(): number {
    return this.#socket.writableLength;
  }

  act(action: CarrierAction): void {
    const packet = this.#codec.write(action);
    if (packet && this.#socket.writable && !this.#isClosed) this.#socket.write(packet);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.cancel();
    const limit = this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.destroy());
    this.#socket.once('close', () => limit.cancel());
    this.#socket.end();
    // Discards incoming data: unread data would reset the connection and lose what is still being sent.
    this.#socket.resume();
  }

  #onData(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#codec.read(chunk, (event) => this.#onEvent(event));
    if (this.#isNamed || this.#codec.uuid === undefined || this.#isClosed) return;
    this.#isNamed = true;
    this.#timer?.cancel();
    this.#timer = this.#clock.after(AUDIO_TIMEOUT_MS, () =>
      this.#codec.settle((event) => this.#onEvent(event)),
    );
  }

  #onEvent(event: CarrierEvent): void {
    if (this.#isClosed || this.#hasEnded) return;
    if (event.type === 'open') void this.#open(event.streamId, event.sampleRate);
    else if (this.#isOpen) this.#listener.event(event);
    else if (event.type === 'error' && event.isFatal) this.#refuse();
  }

  async #open(uuid: string, sampleRate: number): Promise<void> {
    this.#timer?.cancel();
    this.#socket.pause();
    const isKnown = await this.#listener.opened(uuid, sampleRate).catch(() => false);
    if (this.#hasEnded || this.#isClosed) return;
    this.#isOpen = isKnown;
    if (isKnown) this.#socket.resume();
    else this.#refuse();
  }

  #refuse(): void {
    this.act({ type: 'hangup' });
    this.close();
    this.#end('refused');
  }

  #end(how: 'closed' | 'broken' | 'refused'): void {
    this.#timer?.cancel();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listener.ended(how);
  }
}
