import { DtmfDetector } from '../../../media/audio/dtmf-detector.js';
import type { Clock, Ticker, Timer } from '../../contract/clock.js';
import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallInput, Transport } from '../../contract/transport.js';
import { ConnectionSilenceMonitor } from '../../timing/connection-silence-monitor.js';
import { FaultBoundary } from '../../timing/fault-boundary.js';
import { MAX_BACKLOG_BYTES } from '../backlog.js';
import { DtmfCollector } from '../dtmf-collector.js';
import type { CarrierEvent, CarrierLink, CarrierTraits } from './carrier.js';
import { CarrierPlayout } from './carrier-playout.js';
import { DtmfSender } from './dtmf-sender.js';
import { InboundConcealment } from './inbound-concealment.js';

/** Hz of the agent's audio, independent of the carrier's rate. */
export const PHONE_SAMPLE_RATE = 16_000;
/** Longest wait at the end of a call for audio that the carrier has not played. */
const MAX_DRAIN_MS = 300;
/**
 * Time without inbound audio, or without an empty outbound backlog, after which the carrier counts as dead.
 * Carriers send audio all the time, silence included.
 */
const SILENT_MS = 20_000;
/** Texts of DTMF digits that are queued before the call has started. */
const MAX_EARLY_INPUTS = 8;
/** Invalid messages after which the connection is closed. */
const MAX_FAULTS = 200;
/** Invalid messages that are reported. */
const MAX_REPORTED_FAULTS = 3;

export interface PhoneTransportOptions {
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly link: CarrierLink;
  readonly traits: CarrierTraits;
  /** Receives the first invalid messages of the carrier, and exceptions of this transport. */
  readonly onFault?: (message: string) => void;
}

/** The transport of a telephone call, for any carrier. The carrier's events arrive at `handle`. */
export class PhoneTransport implements Transport {
  readonly sampleRate = PHONE_SAMPLE_RATE;
  readonly hasEchoCanceller = false;
  readonly canPause = false;
  readonly #boundary = new FaultBoundary({
    report: (error) => this.#options.onFault?.(`The telephone transport failed: ${String(error)}`),
    end: () => this.#giveUp(),
  });
  /** Its clock runs callbacks within the boundary. */
  readonly #options: PhoneTransportOptions;
  readonly #inbound: InboundConcealment;
  readonly #playout: CarrierPlayout;
  readonly #dtmfDetector: DtmfDetector;
  readonly #dtmfCollector: DtmfCollector;
  readonly #dtmfSender: DtmfSender;
  #call: CallInput | undefined;
  #faults = 0;
  #silence: ConnectionSilenceMonitor | undefined;
  /** Clock time when the outbound backlog was last empty, ms. */
  #drainedAt = 0;
  readonly #earlyTexts: string[] = [];
  #drainLimit: Timer | undefined;
  /** The carrier's pending answer to a transfer: whether it accepts. */
  #transfer: Promise<boolean> | undefined;
  /** The carrier's side has ended the call. */
  #hasHungUp = false;
  #isClosed = false;

  /** @throws MediaError INVALID_INPUT for a sample rate that the resampler does not support */
  constructor(options: PhoneTransportOptions) {
    const { link, traits } = options;
    const clock = this.#boundary.clock(options.clock);
    const ticker = this.#boundary.ticker(options.ticker);
    this.#options = { ...options, clock };
    this.#inbound = new InboundConcealment(traits.sampleRate);
    this.#playout = new CarrierPlayout({
      clock,
      ticker,
      link,
      traits,
      sampleRate: PHONE_SAMPLE_RATE,
      onPlayed: (positionMs) => this.#call?.played(positionMs),
    });
    this.#dtmfCollector = new DtmfCollector(clock, (text) => this.#onTyped(text));
    this.#dtmfSender = new DtmfSender(clock, PHONE_SAMPLE_RATE, (tones) =>
      this.#playout.tones(tones),
    );
    this.#dtmfDetector = new DtmfDetector(traits.sampleRate, (digit) => {
      if (!this.#dtmfSender.mayEcho) this.#dtmfCollector.detected(digit);
    });
  }

  /** Reports the maximum while DTMF tones play, so that speech waits. */
  get backlogBytes(): number {
    return this.#dtmfSender.isBusy ? MAX_BACKLOG_BYTES : this.#options.link.backlogBytes;
  }

  get callerDelayMs(): number {
    return this.#inbound.delayMs;
  }

  get isOver(): boolean {
    return this.#hasHungUp || this.#isClosed;
  }

  /** Connects the transport to its call. Earlier audio is dropped; earlier DTMF digits are delivered. */
  start(call: CallInput): void {
    this.#call = call;
    if (this.#hasHungUp) {
      call.hangUp('user_hangup');
      return;
    }
    this.#drainedAt = this.#options.clock.now();
    this.#silence = new ConnectionSilenceMonitor(this.#options.clock, (silentMs, lostMs) => {
      if (silentMs > SILENT_MS || this.#hasStoppedReading(lostMs)) this.#giveUp();
    });
    call.connected();
    for (const text of this.#earlyTexts.splice(0)) call.typed(text);
  }

  /** The caller's audio may still arrive while the other direction is dead. */
  #hasStoppedReading(lostMs: number): boolean {
    const now = this.#options.clock.now();
    this.#drainedAt = this.#options.link.backlogBytes === 0 ? now : this.#drainedAt + lostMs;
    return now - this.#drainedAt > SILENT_MS;
  }

  #onTyped(text: string): void {
    if (this.#call) this.#call.typed(text);
    else if (this.#earlyTexts.length < MAX_EARLY_INPUTS) this.#earlyTexts.push(text);
  }

  /** Handles an event of the carrier. Never throws. */
  handle(event: CarrierEvent): void {
    this.#boundary.run(() => this.#handle(event));
  }

  #handle(event: CarrierEvent): void {
    if (this.isOver) {
      if (event.type === 'mark') this.#playout.onMark(event.name, event.cleared);
      return;
    }
    this.#silence?.active();
    switch (event.type) {
      case 'open':
        return;
      case 'audio':
        this.#dtmfDetector.push(event.pcm);
        this.#inbound.push(event.pcm, event.tsMs, (pcm) => this.#call?.audio(pcm));
        return;
      case 'dtmf':
        this.#dtmfCollector.press(event.digit);
        return;
      case 'mark':
        this.#playout.onMark(event.name, event.cleared);
        return;
      case 'close':
        this.detach('user_hangup');
        return;
      case 'error':
        if (++this.#faults <= MAX_REPORTED_FAULTS) this.#options.onFault?.(event.message);
        if (event.isFatal || this.#faults > MAX_FAULTS) this.#giveUp();
    }
  }

  /** The connection is unusable: hangs up, so that the caller is not left in silence. */
  #giveUp(): void {
    if (!this.#hasHungUp && !this.#transfer) {
      this.#boundary.run(() => this.#options.link.act({ type: 'hangup' }));
    }
    this.detach('error_transport');
  }

  /** Reports that the carrier's side has ended. A telephone call cannot resume. */
  detach(reason: EndedReason): void {
    if (this.#hasHungUp) return;
    this.#hasHungUp = true;
    this.#boundary.run(() => this.#stop());
    // A carrier that accepts a transfer often closes the connection before its answer arrives.
    if (!this.#transfer) this.#call?.hangUp(reason);
    else {
      const end = (isAccepted: boolean) => this.#call?.hangUp(isAccepted ? 'transferred' : reason);
      void this.#transfer.then(end);
    }
    if (this.#drainLimit) this.#end();
  }

  sendAudio(samples: Float32Array): void {
    if (this.isOver) return;
    if (this.#options.link.backlogBytes > MAX_BACKLOG_BYTES) {
      // Deferred: the call is in the middle of sending.
      this.#options.clock.after(0, () => this.#giveUp());
      return;
    }
    this.#dtmfSender.spoke((samples.length * 1000) / PHONE_SAMPLE_RATE);
    this.#playout.audio(samples);
  }

  /**
   * Sends DTMF digits as tones as soon as the speech before them has been played.
   * @returns false if the call is over
   */
  sendKeys(keys: string): boolean {
    if (this.isOver) return false;
    this.#dtmfSender.press(keys);
    return true;
  }

  get canTransfer(): boolean {
    return this.#options.link.transfer !== undefined;
  }

  /**
   * Transfers the caller. The call ends if the carrier accepts and continues if it refuses.
   * @param target - number in E.164 format
   */
  async transfer(target: string): Promise<'done' | 'refused' | 'ending'> {
    const { link } = this.#options;
    if (!link.transfer || this.#transfer || this.isOver) return 'ending';
    this.#transfer = link.transfer(target);
    const isAccepted = await this.#transfer;
    this.#transfer = undefined;
    if (isAccepted) this.detach('transferred');
    return isAccepted ? 'done' : 'refused';
  }

  /** A carrier cannot pause: its audio is cleared. */
  pause(): void {
    this.clear();
  }

  resumeFrom(): void {
    // Not called: `canPause` is false.
  }

  clear(): void {
    this.#playout.clear(this.#dtmfSender.clear());
  }

  send(): void {
    // A telephone shows no events.
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#playout.flush();
    this.#silence?.close();
    this.#dtmfCollector.close();
    this.#dtmfSender.close();
    if (this.#hasHungUp || this.#playout.isSilent) {
      this.#end();
      return;
    }
    this.#playout.whenSilent(() => this.#end());
    this.#drainLimit = this.#options.clock.after(MAX_DRAIN_MS, () => this.#end());
  }

  #end(): void {
    this.#stop();
    this.#drainLimit?.cancel();
    this.#drainLimit = undefined;
    this.#playout.close();
    const { link } = this.#options;
    if (!this.#hasHungUp) link.act({ type: 'hangup' });
    this.#hasHungUp = true;
    link.close();
  }

  #stop(): void {
    this.#playout.stop();
    this.#silence?.close();
    this.#dtmfCollector.close();
    this.#dtmfSender.close();
  }
}
