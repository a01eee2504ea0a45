import type { Clock } from '../../../agents-runtime/contract/clock.js';
import type {
  CarrierAction,
  CarrierEvent,
  CarrierLink,
} from '../../../agents-runtime/transports/telephony/carrier.js';

export interface VirtualCarrierOptions {
  readonly clock: Clock;
  readonly sampleRate?: number;
  /** Network delay in each direction, in milliseconds. Default: 0. */
  readonly networkDelayMs?: number;
  /** Every `losesMark`-th mark is lost. Default: none. */
  readonly losesMark?: number;
}

type Queued = { readonly pcm: Int16Array } | { readonly mark: string };

/** A carrier that buffers audio and plays it by the clock, as Twilio does. */
export class VirtualCarrier implements CarrierLink {
  backlogBytes = 0;
  /** The type and time of each received action, in ms of the clock. */
  readonly actions: { readonly at: number; readonly type: CarrierAction['type'] }[] = [];
  /** Length of each received audio chunk in samples. */
  readonly chunkLengths: number[] = [];
  /** Samples played to the caller. */
  readonly played: number[] = [];
  /** Frames of silence between two frames of audio, where the buffer was empty. */
  gaps = 0;
  /** Maximum of `aheadMs`. */
  maxAheadMs = 0;
  isClosed = false;
  onEvent: (event: CarrierEvent) => void = () => undefined;
  readonly #options: VirtualCarrierOptions;
  readonly #rate: number;
  #silentFrames = 0;
  #queue: Queued[] = [];
  #marks = 0;

  constructor(options: VirtualCarrierOptions) {
    this.#options = options;
    this.#rate = options.sampleRate ?? 8_000;
    const tick = () => {
      if (this.isClosed) return;
      this.#play();
      options.clock.after(20, tick);
    };
    options.clock.after(20, tick);
  }

  get aheadMs(): number {
    const samples = this.#queue.reduce(
      (sum, item) => sum + ('pcm' in item ? item.pcm.length : 0),
      0,
    );
    return (samples * 1000) / this.#rate;
  }

  act(action: CarrierAction): void {
    const { clock, networkDelayMs: delayMs = 0 } = this.#options;
    this.actions.push({ at: clock.now(), type: action.type });
    if (action.type === 'audio') {
      this.chunkLengths.push(action.pcm.length);
      const pcm = action.pcm.slice();
      clock.after(delayMs, () => {
        this.#queue.push({ pcm });
        this.maxAheadMs = Math.max(this.maxAheadMs, this.aheadMs);
      });
    } else if (action.type === 'mark') {
      clock.after(delayMs, () => this.#queue.push({ mark: action.name }));
    } else if (action.type === 'clear') clock.after(delayMs, () => this.#clear());
  }

  close(): void {
    this.isClosed = true;
  }

  /** The times at which actions of this type arrived. */
  timesOf(type: CarrierAction['type']): readonly number[] {
    return this.actions.flatMap((each) => (each.type === type ? [each.at] : []));
  }

  #clear(): void {
    const marks = this.#queue.flatMap((item) => ('mark' in item ? [item.mark] : []));
    this.#queue = [];
    for (const name of marks) this.#sendEvent({ type: 'mark', name, cleared: true });
  }

  #play(): void {
    let freeSamples = (this.#rate * 20) / 1000;
    if (this.aheadMs === 0) this.#silentFrames++;
    else {
      if (this.played.length > 0) this.gaps += this.#silentFrames;
      this.#silentFrames = 0;
    }
    for (let item = this.#queue[0]; item; item = this.#queue[0]) {
      if ('mark' in item) {
        this.#queue.shift();
        this.#sendEvent({ type: 'mark', name: item.mark, cleared: false });
        continue;
      }
      if (freeSamples === 0) return;
      const count = Math.min(freeSamples, item.pcm.length);
      for (const sample of item.pcm.subarray(0, count)) this.played.push(sample);
      freeSamples -= count;
      if (count === item.pcm.length) this.#queue.shift();
      else this.#queue[0] = { pcm: item.pcm.subarray(count) };
    }
  }

  #sendEvent(event: Extract<CarrierEvent, { type: 'mark' }>): void {
    const {
      clock,
      networkDelayMs: delayMs = 0,
      losesMark = Number.POSITIVE_INFINITY,
    } = this.#options;
    if (++this.#marks % losesMark === 0) return;
    clock.after(delayMs, () => this.onEvent(event));
  }
}
