import { putNewest } from '../../../media/async/bounded-map.js';
import type { Clock, Ticker, Timer } from '../../contract/clock.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';
import type { CarrierLink, CarrierTraits } from './carrier.js';
import { FramePacer } from './frame-pacer.js';
import { OutboundFramer } from './outbound-framer.js';

/** Audio in milliseconds between two carrier marks. Without marks, the position is reported at this interval. */
const MARK_EVERY_MS = 100;
/** Marks that the carrier has not returned. The oldest are dropped beyond that. */
const MAX_MARKS = 64;
/** Pause of the agent's audio after which the framer is flushed. Shorter than the audio sent ahead. */
const FLUSH_AFTER_MS = 150;

export interface CarrierPlayoutOptions {
  readonly clock: Clock;
  readonly ticker: Pick<Ticker, 'join'>;
  readonly link: CarrierLink;
  readonly traits: CarrierTraits;
  /** Hz of the agent's audio. */
  readonly sampleRate: number;
  /** Receives the position in the agent's audio (ms) that the caller has heard. */
  readonly onPlayed: (positionMs: number) => void;
}

/**
 * Sends the agent's audio to a carrier and reports how far it was played. A carrier that buffers returns
 * marks; another one receives each frame when it is due. Nothing is sent between utterances.
 */
export class CarrierPlayout {
  readonly #options: CarrierPlayoutOptions;
  readonly #frames: OutboundFramer;
  readonly #pacer: FramePacer | undefined;
  /** Positions of the marks that the carrier has not returned, in the order of sending. */
  readonly #marks = new Map<string, number>();
  #lastMark = 0;
  #sentMs = 0;
  #markedMs = 0;
  #reportedMs = 0;
  #flush: Timer | undefined;
  #onSilent: (() => void) | undefined;
  #isStopped = false;

  /** @throws MediaError INVALID_INPUT for a sample rate that the resampler does not support */
  constructor(options: CarrierPlayoutOptions) {
    const { clock, ticker, link, traits, sampleRate } = options;
    this.#options = options;
    this.#frames = new OutboundFramer(sampleRate, traits.sampleRate);
    if (traits.buffers) return;
    this.#pacer = new FramePacer({
      clock,
      ticker,
      frameLength: this.#frames.frameLength,
      send: (pcm) => link.act({ type: 'audio', pcm }),
      onPlayed: (positionMs) => this.#onPaced(positionMs),
    });
  }

  /** All audio that was sent has been played or cleared. */
  get isSilent(): boolean {
    return this.#marks.size === 0 && this.#pacer?.isWaiting !== true;
  }

  audio(samples: Float32Array): void {
    const { clock, sampleRate } = this.#options;
    this.#sentMs += (samples.length * 1000) / sampleRate;
    this.#frames.push(samples, (pcm) => this.#send(pcm, this.#sentMs - this.#frames.heldMs));
    this.#flush?.cancel();
    this.#flush = clock.after(FLUSH_AFTER_MS, () => this.flush());
  }

  /** Sends DTMF tones. They do not advance the position. */
  tones(samples: Float32Array): void {
    this.#frames.push(samples, (pcm) => this.#send(pcm, this.#sentMs));
    this.#frames.flush((pcm) => this.#send(pcm, this.#sentMs));
  }

  /** Sends the audio that the framer holds. */
  flush(): void {
    this.#flush?.cancel();
    if (this.#isStopped) return;
    this.#frames.flush((pcm) => this.#send(pcm, this.#sentMs));
    if (!this.#pacer && this.#markedMs < this.#sentMs) this.#mark(this.#sentMs);
  }

  /**
   * Drops the audio that was not sent.
   * @param clearsCarrier - the carrier drops its audio, too
   */
  clear(clearsCarrier: boolean): void {
    this.#flush?.cancel();
    this.#frames.clear();
    this.#marks.clear();
    this.#markedMs = this.#sentMs;
    if (!clearsCarrier) return;
    if (this.#pacer) this.#pacer.clear();
    else if (!this.#isStopped) this.#options.link.act({ type: 'clear' });
  }

  /** A mark came back. Marks of cleared audio report no position. Older marks are dropped with it. */
  onMark(name: string, isCleared: boolean): void {
    const positionMs = this.#marks.get(name);
    if (positionMs === undefined) return;
    for (const [older] of this.#marks) {
      this.#marks.delete(older);
      if (older === name) break;
    }
    if (!isCleared) this.#options.onPlayed(positionMs);
    if (this.isSilent) this.#onSilent?.();
  }

  /** Calls `act` when the carrier has played everything that was sent. */
  whenSilent(act: () => void): void {
    this.#onSilent = act;
  }

  /** Sends nothing more. Marks are still accepted. */
  stop(): void {
    this.#isStopped = true;
    this.#flush?.cancel();
    this.#pacer?.clear();
  }

  close(): void {
    this.stop();
    this.#marks.clear();
    this.#onSilent = undefined;
  }

  /** @param positionMs - position at the end of these frames */
  #send(pcm: Int16Array, positionMs: number): void {
    if (this.#pacer) {
      this.#pacer.push(pcm, positionMs);
      return;
    }
    this.#options.link.act({ type: 'audio', pcm });
    if (positionMs - this.#markedMs >= MARK_EVERY_MS) this.#mark(positionMs);
  }

  #mark(positionMs: number): void {
    this.#markedMs = positionMs;
    const name = `p${++this.#lastMark}`;
    putNewest(this.#marks, name, positionMs, MAX_MARKS);
    this.#options.link.act({ type: 'mark', name });
  }

  #onPaced(positionMs: number): void {
    if (this.#onSilent && this.isSilent) {
      this.#onSilent();
      return;
    }
    const isLast = positionMs >= this.#sentMs - FRAME_MS;
    if (positionMs - this.#reportedMs < MARK_EVERY_MS && !isLast) return;
    this.#reportedMs = positionMs;
    this.#options.onPlayed(Math.min(positionMs, this.#sentMs));
  }
}
