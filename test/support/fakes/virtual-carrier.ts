import type { Clock } from '../../../agents-runtime/contract/clock.js';
import type {
  CarrierAction,
  CarrierEvent,
  CarrierLink,
} from '../../../agents-runtime/transports/telephony/carrier.js';

export interface PlayingCarrierOptions {
  readonly clock: Clock;
  readonly sampleRate?: number;
  /** On the wire, each way. */
  readonly wayMs?: number;
  /** Every so manieth mark is lost. */
  readonly losesMark?: number;
}

type Queued = { readonly pcm: Int16Array } | { readonly mark: string };

/** A carrier that keeps what it is sent and plays it by the clock, as Twilio does. */
export class PlayingCarrier implements CarrierLink {
  backlogBytes = 0;
  /** When each action came, ms of the clock. */
  readonly told: { readonly at: number; readonly type: CarrierAction['type'] }[] = [];
  /** Samples of each piece of audio that was sent. */
  readonly pieces: number[] = [];
  /** Samples that the caller has heard. */
  readonly heard: number[] = [];
  /** Frames of silence between two of sound: it had nothing to play. */
  gaps = 0;
  /** The most that waited to be played, ms. */
  mostAheadMs = 0;
  isClosed = false;
  onEvent: (event: CarrierEvent) => void = () => undefined;
  readonly #options: PlayingCarrierOptions;
  readonly #rate: number;
  #silentFrames = 0;
  #queue: Queued[] = [];
  #marks = 0;

  constructor(options: PlayingCarrierOptions) {
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
    const { clock, wayMs = 0 } = this.#options;
    this.told.push({ at: clock.now(), type: action.type });
    if (action.type === 'audio') {
      this.pieces.push(action.pcm.length);
      const pcm = action.pcm.slice();
      clock.after(wayMs, () => {
        this.#queue.push({ pcm });
        this.mostAheadMs = Math.max(this.mostAheadMs, this.aheadMs);
      });
    } else if (action.type === 'mark') {
      clock.after(wayMs, () => this.#queue.push({ mark: action.name }));
    } else if (action.type === 'clear') clock.after(wayMs, () => this.#clear());
  }

  close(): void {
    this.isClosed = true;
  }

  /** Times at which this was told. */
  timesOf(type: CarrierAction['type']): readonly number[] {
    return this.told.flatMap((each) => (each.type === type ? [each.at] : []));
  }

  #clear(): void {
    const marks = this.#queue.flatMap((item) => ('mark' in item ? [item.mark] : []));
    this.#queue = [];
    for (const name of marks) this.#say({ type: 'mark', name, cleared: true });
  }

  #play(): void {
    let room = (this.#rate * 20) / 1000;
    if (this.aheadMs === 0) this.#silentFrames++;
    else {
      if (this.heard.length > 0) this.gaps += this.#silentFrames;
      this.#silentFrames = 0;
    }
    for (let item = this.#queue[0]; item; item = this.#queue[0]) {
      if ('mark' in item) {
        this.#queue.shift();
        this.#say({ type: 'mark', name: item.mark, cleared: false });
        continue;
      }
      if (room === 0) return;
      const count = Math.min(room, item.pcm.length);
      for (const sample of item.pcm.subarray(0, count)) this.heard.push(sample);
      room -= count;
      if (count === item.pcm.length) this.#queue.shift();
      else this.#queue[0] = { pcm: item.pcm.subarray(count) };
    }
  }

  #say(event: Extract<CarrierEvent, { type: 'mark' }>): void {
    const { clock, wayMs = 0, losesMark = Number.POSITIVE_INFINITY } = this.#options;
    if (++this.#marks % losesMark === 0) return;
    clock.after(wayMs, () => this.onEvent(event));
  }
}
