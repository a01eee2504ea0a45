import { DtmfDetector } from '../../../media/audio/dtmf-detector.js';
import type { Clock, Ticker, Timer } from '../../contract/clock.js';
import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallInput, Transport } from '../../contract/transport.js';
import { FaultBoundary } from '../../timing/fault-boundary.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';
import { InactivityWatchdog } from '../../timing/inactivity-watchdog.js';
import { DtmfCollector } from '../dtmf-collector.js';
import type { CarrierEvent, CarrierLink, CarrierTraits } from './carrier.js';
import { CarrierMarks } from './carrier-marks.js';
import { DtmfSender } from './dtmf-sender.js';
import { FramePacer } from './frame-pacer.js';
import { InboundConcealment } from './inbound-concealment.js';
import { OutboundFramer } from './outbound-framer.js';

/** Hz of the agent's audio as a call hands it over, whatever the carrier's rate is. */
export const PHONE_SAMPLE_RATE = 16_000;
/** Audio in milliseconds between two carrier marks. Without marks, the position is reported at this interval. */
const MARK_EVERY_MS = 100;
/** No more of an utterance came for so long: what is held of it goes out. Less than what is sent ahead. */
const QUIET_MS = 150;
/** What the carrier has not played when the call ends is waited for so long, and no longer. */
const LAST_WORD_MS = 300;
/** A carrier that stops reading is let go when so much waits for it, bytes. */
const MAX_BACKLOG = 1024 * 1024;
/**
 * Carriers send sound all the time, silence too: one that sends nothing for so long is dead, and so is one
 * that takes nothing.
 */
const SILENT_MS = 20_000;
/** Of what is pressed before the call has begun. */
const MAX_EARLY_INPUTS = 8;
/** Messages that cannot be used; more of them and the other side does not speak our language. */
const MAX_FAULTS = 200;

export interface PhoneTransportOptions {
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly link: CarrierLink;
  readonly traits: CarrierTraits;
  /** Receives messages that could not be used, a few times, and what went wrong here by itself. */
  readonly onFault?: (message: string) => void;
}

/**
 * A call's wire to a telephone, whatever the carrier. Its events come in by `handle`. Between
 * utterances nothing is sent.
 */
export class PhoneTransport implements Transport {
  readonly sampleRate = PHONE_SAMPLE_RATE;
  readonly hasEchoCanceller = false;
  readonly canPause = false;
  readonly #boundary = new FaultBoundary({
    report: (error) => this.#options.onFault?.(`The line failed: ${String(error)}`),
    end: () => this.#giveUp(),
  });
  /** Its clock is within the boundary. */
  readonly #options: PhoneTransportOptions;
  readonly #frames: OutboundFramer;
  readonly #heard: InboundConcealment;
  readonly #tones: DtmfDetector;
  readonly #keys: DtmfCollector;
  readonly #sentKeys: DtmfSender;
  readonly #paced: FramePacer | undefined;
  readonly #marks = new CarrierMarks();
  #call: CallInput | undefined;
  #sentMs = 0;
  #markedMs = 0;
  #reportedMs = 0;
  #faults = 0;
  #quiet: Timer | undefined;
  #watch: InactivityWatchdog | undefined;
  /** When nothing waited in the wire's own buffers, clock ms. */
  #takenAt = 0;
  /** What was pressed before the call had begun. */
  readonly #typedEarly: string[] = [];
  #lastWord: Timer | undefined;
  /** A transfer that the carrier has not answered: whether it takes the caller. */
  #leaving: Promise<boolean> | undefined;
  /** The carrier's side has ended. */
  #hasHungUp = false;
  #isClosed = false;

  /** @throws MediaError INVALID_INPUT for a carrier's rate that nothing can convert. */
  constructor(options: PhoneTransportOptions) {
    const { link, traits } = options;
    const clock = this.#boundary.clock(options.clock);
    const ticker = this.#boundary.ticker(options.ticker);
    this.#options = { ...options, clock };
    this.#frames = new OutboundFramer(PHONE_SAMPLE_RATE, traits.sampleRate);
    this.#heard = new InboundConcealment(traits.sampleRate);
    this.#keys = new DtmfCollector(clock, (text) => this.#onTyped(text));
    this.#sentKeys = new DtmfSender(clock, PHONE_SAMPLE_RATE, (tones) => this.#sendTones(tones));
    this.#tones = new DtmfDetector(traits.sampleRate, (key) => {
      if (!this.#sentKeys.mayEcho) this.#keys.heard(key);
    });
    if (traits.buffers) return;
    this.#paced = new FramePacer({
      clock,
      ticker,
      frameLength: this.#frames.frameLength,
      send: (pcm) => link.act({ type: 'audio', pcm }),
      receivedUpTo: (positionMs) => this.#onPaced(positionMs),
    });
  }

  /** While keys are heard, speech waits behind them. */
  get backlogBytes(): number {
    return this.#sentKeys.isBusy ? MAX_BACKLOG : this.#options.link.backlogBytes;
  }

  get callerDelayMs(): number {
    return this.#heard.delayMs;
  }

  /** Nothing comes or goes any more. */
  get isOver(): boolean {
    return this.#hasHungUp || this.#isClosed;
  }

  /** Joins wire and call. What the caller said before is forgotten; what was pressed is not. */
  start(call: CallInput): void {
    this.#call = call;
    if (this.#hasHungUp) {
      call.hangUp('user_hangup');
      return;
    }
    this.#takenAt = this.#options.clock.now();
    this.#watch = new InactivityWatchdog(this.#options.clock, (silentMs, lostMs) => {
      if (silentMs > SILENT_MS || this.#hasStoppedReading(lostMs)) this.#giveUp();
    });
    call.connected();
    for (const text of this.#typedEarly.splice(0)) call.typed(text);
  }

  /** Who still speaks and takes nothing any more is held by half: nobody there hears the agent. */
  #hasStoppedReading(lostMs: number): boolean {
    const now = this.#options.clock.now();
    this.#takenAt = this.#options.link.backlogBytes === 0 ? now : this.#takenAt + lostMs;
    return now - this.#takenAt > SILENT_MS;
  }

  #onTyped(text: string): void {
    if (this.#call) this.#call.typed(text);
    else if (this.#typedEarly.length < MAX_EARLY_INPUTS) this.#typedEarly.push(text);
  }

  /** Takes an event of the carrier's. Never throws. */
  handle(event: CarrierEvent): void {
    this.#boundary.run(() => this.#handle(event));
  }

  #handle(event: CarrierEvent): void {
    if (this.#hasHungUp || this.#isClosed) {
      if (event.type === 'mark') this.#onMark(event.name, event.cleared);
      return;
    }
    this.#watch?.heard();
    switch (event.type) {
      case 'open':
        return;
      case 'audio':
        this.#tones.push(event.pcm);
        this.#heard.push(event.pcm, event.tsMs, (pcm) => this.#call?.audio(pcm));
        return;
      case 'dtmf':
        this.#keys.press(event.digit);
        return;
      case 'mark':
        this.#onMark(event.name, event.cleared);
        return;
      case 'close':
        this.gone('user_hangup');
        return;
      case 'error':
        if (++this.#faults <= 3) this.#options.onFault?.(event.message);
        if (event.isFatal || this.#faults > MAX_FAULTS) this.#giveUp();
    }
  }

  /** The wire is of no use: whoever is still at its other end is not left waiting there. */
  #giveUp(): void {
    if (!this.#hasHungUp && !this.#leaving) {
      this.#boundary.run(() => this.#options.link.act({ type: 'hangup' }));
    }
    this.gone('error_transport');
  }

  /** The carrier's side is over; a telephone does not come back. */
  gone(reason: EndedReason): void {
    if (this.#hasHungUp) return;
    this.#hasHungUp = true;
    this.#boundary.run(() => this.#stop());
    // A carrier that takes the caller ends our wire, often before it has answered.
    if (!this.#leaving) this.#call?.hangUp(reason);
    else {
      const end = (isTaken: boolean) => this.#call?.hangUp(isTaken ? 'transferred' : reason);
      void this.#leaving.then(end);
    }
    if (this.#lastWord) this.#end();
  }

  sendAudio(samples: Float32Array): void {
    if (this.#hasHungUp || this.#isClosed) return;
    if (this.#options.link.backlogBytes > MAX_BACKLOG) {
      // Not from within what the call sends.
      this.#options.clock.after(0, () => this.#giveUp());
      return;
    }
    const lengthMs = (samples.length * 1000) / PHONE_SAMPLE_RATE;
    this.#sentMs += lengthMs;
    this.#sentKeys.spoke(lengthMs);
    this.#frames.push(samples, (pcm) => this.#send(pcm, this.#sentMs - this.#frames.heldMs));
    this.#quiet?.cancel();
    this.#quiet = this.#options.clock.after(QUIET_MS, () => this.#onQuiet());
  }

  /**
   * The tones of keys go out as soon as they can; they are no part of what the agent says.
   * @returns false where the call is over.
   */
  sendKeys(keys: string): boolean {
    if (this.#hasHungUp || this.#isClosed) return false;
    this.#sentKeys.press(keys);
    return true;
  }

  #sendTones(tones: Float32Array): void {
    this.#frames.push(tones, (pcm) => this.#send(pcm, this.#sentMs));
    this.#frames.flush((pcm) => this.#send(pcm, this.#sentMs));
  }

  get canTransfer(): boolean {
    return this.#options.link.transfer !== undefined;
  }

  /**
   * Gives the caller away; the call is over then, and goes on where the carrier refuses.
   * @param target E.164
   */
  async transfer(target: string): Promise<'done' | 'refused' | 'ending'> {
    const { link } = this.#options;
    if (!link.transfer || this.#leaving || this.isOver) return 'ending';
    this.#leaving = link.transfer(target);
    const isTaken = await this.#leaving;
    this.#leaving = undefined;
    if (isTaken) this.gone('transferred');
    return isTaken ? 'done' : 'refused';
  }

  /** It cannot: a call clears instead. */
  pause(): void {
    this.clear();
  }

  resumeFrom(): void {
    // Never asked of a wire that cannot pause.
  }

  clear(): void {
    this.#quiet?.cancel();
    this.#frames.clear();
    this.#marks.clear();
    this.#markedMs = this.#sentMs;
    if (!this.#sentKeys.clear()) return;
    if (this.#paced) this.#paced.clear();
    else if (!this.#hasHungUp) this.#options.link.act({ type: 'clear' });
  }

  send(): void {
    // What a call tells its client is for screens.
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onQuiet();
    this.#watch?.close();
    this.#keys.close();
    this.#sentKeys.close();
    if (this.#hasHungUp || this.#isSilent) this.#end();
    else this.#lastWord = this.#options.clock.after(LAST_WORD_MS, () => this.#end());
  }

  /** Nothing of what was sent is known to be unheard. */
  get #isSilent(): boolean {
    return this.#marks.isEmpty && this.#paced?.isWaiting !== true;
  }

  #end(): void {
    this.#stop();
    this.#lastWord?.cancel();
    this.#lastWord = undefined;
    this.#marks.clear();
    const { link } = this.#options;
    if (!this.#hasHungUp) link.act({ type: 'hangup' });
    this.#hasHungUp = true;
    link.close();
  }

  #stop(): void {
    this.#quiet?.cancel();
    this.#watch?.close();
    this.#keys.close();
    this.#sentKeys.close();
    this.#paced?.clear();
  }

  #onQuiet(): void {
    this.#quiet?.cancel();
    this.#quiet = undefined;
    if (this.#hasHungUp) return;
    this.#frames.flush((pcm) => this.#send(pcm, this.#sentMs));
    if (!this.#paced && this.#markedMs < this.#sentMs) this.#mark(this.#sentMs);
  }

  /** @param positionMs that these frames reach. */
  #send(pcm: Int16Array, positionMs: number): void {
    if (this.#paced) {
      this.#paced.push(pcm, positionMs);
      return;
    }
    this.#options.link.act({ type: 'audio', pcm });
    if (positionMs - this.#markedMs >= MARK_EVERY_MS) this.#mark(positionMs);
  }

  #mark(positionMs: number): void {
    this.#markedMs = positionMs;
    this.#options.link.act({ type: 'mark', name: this.#marks.add(positionMs) });
  }

  /** Marks of what was cleared say nothing; the clock goes on without those that never come. */
  #onMark(name: string, cleared: boolean): void {
    const positionMs = this.#marks.take(name);
    if (positionMs === undefined) return;
    if (!cleared) this.#call?.played(positionMs);
    if (this.#lastWord && this.#isSilent) this.#end();
  }

  #onPaced(positionMs: number): void {
    if (this.#lastWord && this.#isSilent) {
      this.#end();
      return;
    }
    const isLast = positionMs >= this.#sentMs - FRAME_MS;
    if (positionMs - this.#reportedMs < MARK_EVERY_MS && !isLast) return;
    this.#reportedMs = positionMs;
    this.#call?.played(Math.min(positionMs, this.#sentMs));
  }
}
