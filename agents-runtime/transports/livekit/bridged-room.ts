import { CALLER_SAMPLE_RATE, int16Of } from '../../../media/audio/pcm.js';
import type { Clock } from '../../contract/clock.js';
import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallEvent, CallInput } from '../../contract/transport.js';
import { FaultBoundary } from '../../timing/fault-boundary.js';
import { DtmfCollector } from '../dtmf-collector.js';
import type { RoomPort } from './bridge-process.js';
import { type FromBridge, ROOM_RATE } from './ipc-messages.js';
import type { RoomCaller, RoomTransport } from './room-transport.js';

/** Time for a disconnected caller to reconnect, in milliseconds. */
const REGAIN_MS = 15_000;
/** Samples of the caller that are queued before the call has started. */
const MAX_EARLY_INPUTS = 13 * CALLER_SAMPLE_RATE;
/** Most silence inserted for one gap, in samples. */
const MAX_GAP_SAMPLES = 8 * CALLER_SAMPLE_RATE;

/** The transport of one LiveKit call, whose room is in a bridge process. */
export class BridgedRoom implements RoomTransport {
  readonly #boundary: FaultBoundary;
  readonly sampleRate = ROOM_RATE;
  readonly hasEchoCanceller: boolean;
  readonly canPause = true;
  readonly callerDelayMs = 0;
  readonly caller: RoomCaller;
  readonly hasCallerSubscribed: Promise<void>;
  readonly left: Promise<void>;
  readonly #port: RoomPort;
  #call: CallInput | undefined;
  #early: Int16Array[] = [];
  #earlySamples = 0;
  #isLost = false;
  #over: EndedReason | undefined;
  #isClosed = false;
  #onSubscribed: () => void = () => undefined;
  #onLeft: () => void = () => undefined;
  readonly #keys: DtmfCollector;

  /** @param onFault - receives exceptions of this transport, which end the call */
  constructor(
    port: RoomPort,
    caller: RoomCaller,
    clock: Clock,
    onFault: (error: unknown) => void = () => undefined,
  ) {
    this.#boundary = new FaultBoundary({
      report: onFault,
      end: () => this.#end('error_transport'),
    });
    this.#keys = new DtmfCollector(this.#boundary.clock(clock), (text) => this.#call?.typed(text));
    this.#port = port;
    this.caller = caller;
    this.hasEchoCanceller = !caller.isPhone;
    this.hasCallerSubscribed = new Promise((resolve) => {
      this.#onSubscribed = resolve;
    });
    this.left = new Promise((resolve) => {
      this.#onLeft = resolve;
    });
  }

  get backlogBytes(): number {
    return this.#port.backlogBytes;
  }

  start(call: CallInput): void {
    this.#call = call;
    call.connected();
    for (const samples of this.#early) call.audio(samples);
    this.#early = [];
    if (this.#over) call.hangUp(this.#over);
    else if (this.#isLost) call.lost(REGAIN_MS);
  }

  sendAudio(samples: Float32Array): void {
    if (this.#isClosed) return;
    this.#port.audio(int16Of(samples));
  }

  pause(): void {
    this.#port.send({ type: 'pause' });
  }

  resumeFrom(fromMs: number): void {
    this.#port.send({ type: 'resume', fromMs });
  }

  clear(): void {
    this.#port.send({ type: 'clear' });
  }

  send(event: CallEvent): void {
    if (!this.#isClosed) this.#port.send({ type: 'event', event });
  }

  sendKeys(keys: string): boolean {
    if (this.#isClosed || this.#over) return false;
    this.#port.send({ type: 'keys', keys });
    return true;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#early = [];
    this.#keys.close();
    this.#port.send({ type: 'leave' });
  }

  /** Handles a message of the bridge. Never throws, as one bridge holds the rooms of many calls. */
  handle(message: FromBridge): void {
    this.#boundary.run(() => this.#handle(message));
  }

  #handle(message: FromBridge): void {
    switch (message.type) {
      case 'caller-subscribed':
        this.#onSubscribed();
        return;
      case 'played':
        this.#call?.played(message.playedMs);
        return;
      case 'typed':
        this.#call?.typed(message.text);
        return;
      case 'dtmf':
        this.#keys.press(message.digit);
        return;
      case 'lost':
        this.#isLost = true;
        this.#call?.lost(REGAIN_MS);
        return;
      case 'regained':
        this.#regain(message.playedMs);
        return;
      case 'ended':
        this.#end(message.reason);
        return;
      case 'left':
        this.#onLeft();
    }
  }

  onAudio(samples: Int16Array): void {
    this.#boundary.run(() => {
      if (this.#call) this.#call.audio(samples);
      else this.#keep(samples);
    });
  }

  onGap(samples: number): void {
    this.onAudio(new Int16Array(Math.min(samples, MAX_GAP_SAMPLES)));
  }

  /** The bridge process has ended. */
  died(): void {
    this.#boundary.run(() => this.#end('error_transport'));
    this.#onLeft();
  }

  #regain(playedMs: number): void {
    this.#isLost = false;
    if (!this.#call) this.#port.send({ type: 'seek', positionMs: playedMs });
    this.#call?.regained(playedMs, (positionMs) => this.#port.send({ type: 'seek', positionMs }));
  }

  #end(reason: EndedReason): void {
    this.#over ??= reason;
    this.#onSubscribed();
    this.#call?.hangUp(reason);
  }

  #keep(samples: Int16Array): void {
    if (this.#isClosed) return;
    this.#early.push(samples);
    this.#earlySamples += samples.length;
    while (this.#earlySamples > MAX_EARLY_INPUTS) {
      this.#earlySamples -= this.#early.shift()?.length ?? MAX_EARLY_INPUTS;
    }
  }
}
