import type { Clock, Timer } from '../../agents-runtime/contract/clock.js';
import { SimulatedAudioTrack } from './audio-track.js';
import { PlayoutBuffer } from './playout-buffer.js';
import { isLoud } from './speech-segments.js';

export const FRAME_MS = 20;
/** Maximum audio that a gateway may send before it is played. */
export const MAX_LEAD_MS = 400;
/** After this silence, agent audio counts as a new utterance. */
const ONSET_SILENCE_MS = 500;

export interface SimulatedLegOptions {
  readonly clock: Clock;
  /** Hz. */
  readonly sampleRate: number;
  /** Deviation of the carrier's clock, parts per million; positive is faster. */
  readonly driftPpm?: number;
  /** Length of the phone's jitter buffer; 0 if the carrier has its own. */
  readonly holdMs?: number;
  /** Whether the audio of both legs is stored. Default: true. */
  readonly isRecorded?: boolean;
  /** Sends 20 ms of caller audio to the gateway. */
  readonly send: (frame: Int16Array) => void;
  readonly onMark?: (name: string, isCleared: boolean) => void;
}

/** The delay of the jitter buffer for audio that arrived after silence. */
export interface PlayoutHold {
  readonly atMs: number;
  readonly heldMs: number;
}

interface Waiter {
  readonly isMet: () => boolean;
  readonly done: (isMet: boolean) => void;
  readonly untilMs: number;
}

/**
 * The carrier's side of one call in real time: sends a frame of caller audio every 20 ms and plays the
 * gateway's audio. Records both on one timeline.
 */
export class SimulatedLeg {
  readonly sampleRate: number;
  readonly frameLength: number;
  readonly #options: SimulatedLegOptions;
  readonly #frameMs: number;
  readonly #silence: Int16Array;
  readonly #playout: PlayoutBuffer;
  readonly #caller = new SimulatedAudioTrack();
  readonly #agent = new SimulatedAudioTrack();
  #speech: Int16Array[] = [];
  #spoken = 0;
  #startedAtMs = 0;
  #frames = 0;
  #timer: Timer | undefined;
  #isRunning = false;
  #waiters: Waiter[] = [];
  #agentLoudMs = Number.NEGATIVE_INFINITY;
  #agentOnsetMs = Number.NEGATIVE_INFINITY;
  #callerLoudMs = Number.NEGATIVE_INFINITY;
  #maxLeadMs = 0;
  #agentSilenceMs = 0;
  #clears = 0;
  #gapsMs: number[] = [];
  readonly #holds: PlayoutHold[] = [];
  /** `#arrivedAtMs`: when the first audio after an empty buffer arrived, until it is played. */
  #isPlayoutEmpty = true;
  #arrivedAtMs: number | undefined;

  constructor(options: SimulatedLegOptions) {
    const { sampleRate, driftPpm = 0, holdMs = 0, onMark } = options;
    this.#options = options;
    this.sampleRate = sampleRate;
    this.frameLength = (sampleRate * FRAME_MS) / 1000;
    this.#frameMs = FRAME_MS / (1 + driftPpm / 1e6);
    this.#silence = new Int16Array(this.frameLength);
    this.#playout = new PlayoutBuffer({
      frameLength: this.frameLength,
      holdFrames: holdMs / FRAME_MS,
      ...(onMark && { onMark }),
    });
  }

  /** Time since the start, in ms of the carrier's clock. */
  get atMs(): number {
    return this.#frames * FRAME_MS;
  }

  /** The largest amount of unplayed audio so far, ms. */
  get maxLeadMs(): number {
    return this.#maxLeadMs;
  }

  get waitingMs(): number {
    return (this.#playout.waiting / this.sampleRate) * 1000;
  }

  /** Number of `clear` messages. */
  get clears(): number {
    return this.#clears;
  }

  /** Start of the current or last agent utterance; −∞ before the first. */
  get agentOnsetMs(): number {
    return this.#agentOnsetMs;
  }

  /** Time of the last audible agent frame; −∞ before the first. */
  get agentLoudMs(): number {
    return this.#agentLoudMs;
  }

  /** Time of the last audible caller frame; −∞ before the first. */
  get callerLoudMs(): number {
    return this.#callerLoudMs;
  }

  /** The silences inside agent utterances since the last call of this method, ms. */
  drainGaps(): readonly number[] {
    const gaps = this.#gapsMs;
    this.#gapsMs = [];
    return gaps;
  }

  /** One entry per run of agent audio, in order. */
  get holds(): readonly PlayoutHold[] {
    return this.#holds;
  }

  get isCallerSpeaking(): boolean {
    return this.#speech.length > 0;
  }

  /** Both legs so far, aligned sample by sample. */
  get audio(): { readonly caller: Int16Array; readonly agent: Int16Array } {
    return { caller: this.#caller.pcm, agent: this.#agent.pcm };
  }

  start(): void {
    this.#isRunning = true;
    this.#startedAtMs = this.#options.clock.now();
    this.#playNext();
    this.#schedule();
  }

  /** Ends the call on this side. Pending `until` promises resolve with false. */
  stop(): void {
    this.#isRunning = false;
    this.#timer?.cancel();
    for (const { done } of this.#waiters.splice(0)) done(false);
  }

  /** Queues caller speech. */
  say(pcm: Int16Array): void {
    if (pcm.length > 0) this.#speech.push(pcm);
  }

  /** Plays gateway audio. Takes ownership of `pcm`. */
  play(pcm: Int16Array): void {
    this.advance();
    if (this.#isPlayoutEmpty) this.#arrivedAtMs = this.#options.clock.now();
    this.#isPlayoutEmpty = false;
    this.#playout.push(pcm);
    this.#maxLeadMs = Math.max(this.#maxLeadMs, this.waitingMs);
  }

  mark(name: string): void {
    this.advance();
    this.#playout.mark(name);
  }

  clear(): void {
    this.advance();
    this.#playout.clear();
    this.#isPlayoutEmpty = true;
    this.#arrivedAtMs = undefined;
    this.#clears++;
  }

  /** Waits for a condition, which is checked after each frame. False after `withinMs`. */
  until(isMet: () => boolean, withinMs = 30_000): Promise<boolean> {
    if (isMet()) return Promise.resolve(true);
    if (!this.#isRunning) return Promise.resolve(false);
    return new Promise((done) => {
      this.#waiters.push({ isMet, done, untilMs: this.atMs + withinMs });
    });
  }

  /** Waits for audible agent audio after `sinceMs`. */
  untilAgentSpeaks(sinceMs: number, withinMs?: number): Promise<boolean> {
    return this.until(() => this.#agentLoudMs >= sinceMs, withinMs);
  }

  /** Waits until the agent spoke after `sinceMs` and then was silent for `silenceMs`. */
  untilAgentIsSilent(sinceMs: number, silenceMs: number, withinMs?: number): Promise<boolean> {
    return this.until(() => {
      const { waiting } = this.#playout;
      return (
        this.#agentLoudMs >= sinceMs && waiting === 0 && this.atMs - this.#agentLoudMs > silenceMs
      );
    }, withinMs);
  }

  /** Processes all frames that are due, so that a late timer does not look like a large lead. */
  advance(): void {
    const { clock } = this.#options;
    while (
      this.#isRunning &&
      this.#startedAtMs + (this.#frames + 1) * this.#frameMs <= clock.now()
    ) {
      this.#frames++;
      this.#sendNext();
      this.#playNext();
    }
  }

  #schedule(): void {
    const { clock } = this.#options;
    const dueAt = this.#startedAtMs + (this.#frames + 1) * this.#frameMs;
    this.#timer = clock.after(Math.max(0, Math.ceil(dueAt - clock.now())), () => {
      this.advance();
      this.#resolveWaiters();
      if (this.#isRunning) this.#schedule();
    });
  }

  /** Sends the last 20 ms of the caller. */
  #sendNext(): void {
    const frame = this.#nextSpeech();
    if (frame && isLoud(frame)) this.#callerLoudMs = this.atMs;
    if (this.#options.isRecorded !== false) this.#caller.add(frame, this.frameLength);
    this.#options.send(frame ?? this.#silence);
  }

  #nextSpeech(): Int16Array | undefined {
    if (this.#speech.length === 0) return undefined;
    const frame = new Int16Array(this.frameLength);
    for (let filled = 0; filled < frame.length; ) {
      const said = this.#speech[0];
      if (!said) break;
      const part = said.subarray(this.#spoken, this.#spoken + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      this.#spoken += part.length;
      if (this.#spoken === said.length) {
        this.#speech.shift();
        this.#spoken = 0;
      }
    }
    return frame;
  }

  /** Plays the next 20 ms of the agent. */
  #playNext(): void {
    const frame = this.#playout.take();
    if (!frame && this.#playout.waiting === 0) this.#isPlayoutEmpty = true;
    if (frame && this.#arrivedAtMs !== undefined) {
      const playedAt = this.#startedAtMs + this.#frames * this.#frameMs;
      this.#holds.push({ atMs: this.atMs, heldMs: playedAt - this.#arrivedAtMs });
      this.#arrivedAtMs = undefined;
    }
    if (frame && isLoud(frame)) {
      if (this.#agentSilenceMs > ONSET_SILENCE_MS || this.#agentOnsetMs < 0) {
        this.#agentOnsetMs = this.atMs;
      } else if (this.#agentSilenceMs > 0) {
        this.#gapsMs.push(this.#agentSilenceMs);
      }
      this.#agentLoudMs = this.atMs;
      this.#agentSilenceMs = 0;
    } else {
      this.#agentSilenceMs += FRAME_MS;
    }
    if (this.#options.isRecorded !== false) this.#agent.add(frame, this.frameLength);
  }

  #resolveWaiters(): void {
    if (this.#waiters.length === 0) return;
    this.#waiters = this.#waiters.filter(({ isMet, done, untilMs }) => {
      const met = isMet();
      if (!met && this.atMs < untilMs) return true;
      done(met);
      return false;
    });
  }
}
