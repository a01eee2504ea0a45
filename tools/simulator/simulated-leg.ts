import type { Clock, Timer } from '../../agents-runtime/contract/clock.js';
import { SoundTrack } from './audio-track.js';
import { PlayoutBuffer } from './playout-buffer.js';
import { isLoud } from './speech-segments.js';

export const FRAME_MS = 20;
/** How far ahead of what is played a gateway may send. Source: the telephony wires, common rules. */
export const MAX_LEAD_MS = 400;
/** What the agent says after so much silence is said anew. */
const ONSET_SILENCE_MS = 500;

export interface CarrierLineOptions {
  readonly clock: Clock;
  /** Hz. */
  readonly sampleRate: number;
  /** How fast the carrier's clock runs, in millionths beyond ours. */
  readonly driftPpm?: number;
  /** What the phone's jitter buffer holds before it plays; 0 where the carrier has its own buffer. */
  readonly holdMs?: number;
  /** Off for loads: sound is not kept. */
  readonly isRecorded?: boolean;
  /** 20 ms of the caller, whose microphone has just finished with them. */
  readonly send: (frame: Int16Array) => void;
  readonly onMark?: (name: string, isCleared: boolean) => void;
}

/** How long what came after silence was held back before it was played. */
export interface Held {
  readonly atMs: number;
  readonly heldMs: number;
}

interface Waiter {
  readonly isMet: () => boolean;
  readonly done: (isMet: boolean) => void;
  readonly untilMs: number;
}

/**
 * The carrier's side of one call in real time: the caller's microphone, a frame every 20 ms whatever
 * happens, and the loudspeaker that plays what the gateway sent. Both are kept on one line of time.
 */
export class CarrierLine {
  readonly sampleRate: number;
  readonly frameLength: number;
  readonly #options: CarrierLineOptions;
  readonly #frameMs: number;
  readonly #silence: Int16Array;
  readonly #playout: PlayoutBuffer;
  readonly #caller = new SoundTrack();
  readonly #agent = new SoundTrack();
  #speech: Int16Array[] = [];
  #spoken = 0;
  #startedAt = 0;
  #frames = 0;
  #timer: Timer | undefined;
  #isRunning = false;
  #waiters: Waiter[] = [];
  #agentLoudMs = Number.NEGATIVE_INFINITY;
  #agentOnsetMs = Number.NEGATIVE_INFINITY;
  #callerLoudMs = Number.NEGATIVE_INFINITY;
  #mostLeadMs = 0;
  #quietMs = 0;
  #clears = 0;
  #gapsMs: number[] = [];
  readonly #holds: Held[] = [];
  /** Nothing is there to be played; or since when something is that has not begun. */
  #isDry = true;
  #cameAt: number | undefined;

  constructor(options: CarrierLineOptions) {
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

  /** What has passed on the line, ms of its own clock. */
  get atMs(): number {
    return this.#frames * FRAME_MS;
  }

  /** Of what the gateway sent, how much was not played yet, at most so far. */
  get mostLeadMs(): number {
    return this.#mostLeadMs;
  }

  get waitingMs(): number {
    return (this.#playout.waiting / this.sampleRate) * 1000;
  }

  /** How often the gateway took back what had not been played. */
  get clears(): number {
    return this.#clears;
  }

  /** When the agent's sound that is heard now, or was last, began; −∞ before any. */
  get agentOnsetMs(): number {
    return this.#agentOnsetMs;
  }

  /** When the agent was last heard; −∞ before that. */
  get agentLoudMs(): number {
    return this.#agentLoudMs;
  }

  /** When the caller was last heard to speak; −∞ before that. */
  get callerLoudMs(): number {
    return this.#callerLoudMs;
  }

  /** Short silences inside of what the agent said, ms, since they were last asked for. */
  takeGaps(): readonly number[] {
    const gaps = this.#gapsMs;
    this.#gapsMs = [];
    return gaps;
  }

  /** Of each stretch of sound, in order. */
  get holds(): readonly Held[] {
    return this.#holds;
  }

  get isCallerSpeaking(): boolean {
    return this.#speech.length > 0;
  }

  /** Both legs so far, sample for sample at the same time. */
  get sound(): { readonly caller: Int16Array; readonly agent: Int16Array } {
    return { caller: this.#caller.pcm, agent: this.#agent.pcm };
  }

  start(): void {
    this.#isRunning = true;
    this.#startedAt = this.#options.clock.now();
    this.#playNext();
    this.#schedule();
  }

  /** Ends the call on this side; whoever waits for something is told that it will not come. */
  stop(): void {
    this.#isRunning = false;
    this.#timer?.cancel();
    for (const { done } of this.#waiters.splice(0)) done(false);
  }

  /** Lets the caller say this, after what is being said. */
  say(pcm: Int16Array): void {
    if (pcm.length > 0) this.#speech.push(pcm);
  }

  /** The gateway's sound; the line owns it from here on. */
  play(pcm: Int16Array): void {
    this.advance();
    if (this.#isDry) this.#cameAt = this.#options.clock.now();
    this.#isDry = false;
    this.#playout.push(pcm);
    this.#mostLeadMs = Math.max(this.#mostLeadMs, this.waitingMs);
  }

  mark(name: string): void {
    this.advance();
    this.#playout.mark(name);
  }

  clear(): void {
    this.advance();
    this.#playout.clear();
    this.#isDry = true;
    this.#cameAt = undefined;
    this.#clears++;
  }

  /** Waits until something is so, looked at after each frame; false when it did not come in time. */
  until(isMet: () => boolean, withinMs = 30_000): Promise<boolean> {
    if (isMet()) return Promise.resolve(true);
    if (!this.#isRunning) return Promise.resolve(false);
    return new Promise((done) => {
      this.#waiters.push({ isMet, done, untilMs: this.atMs + withinMs });
    });
  }

  /** Waits for the agent's first sound after `sinceMs`. */
  hears(sinceMs: number, withinMs?: number): Promise<boolean> {
    return this.until(() => this.#agentLoudMs >= sinceMs, withinMs);
  }

  /** Waits until the agent, once heard after `sinceMs`, has been silent for so long. */
  quiet(sinceMs: number, silenceMs: number, withinMs?: number): Promise<boolean> {
    return this.until(() => {
      const { waiting } = this.#playout;
      return (
        this.#agentLoudMs >= sinceMs && waiting === 0 && this.atMs - this.#agentLoudMs > silenceMs
      );
    }, withinMs);
  }

  /** Carries out all frames whose time has come: a late timer must not look like a large lead. */
  advance(): void {
    const { clock } = this.#options;
    while (this.#isRunning && this.#startedAt + (this.#frames + 1) * this.#frameMs <= clock.now()) {
      this.#frames++;
      this.#sendNext();
      this.#playNext();
    }
  }

  #schedule(): void {
    const { clock } = this.#options;
    const dueAt = this.#startedAt + (this.#frames + 1) * this.#frameMs;
    this.#timer = clock.after(Math.max(0, Math.ceil(dueAt - clock.now())), () => {
      this.advance();
      this.#tellWaiters();
      if (this.#isRunning) this.#schedule();
    });
  }

  /** The microphone is done with the 20 ms before now. */
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

  /** The loudspeaker begins with the 20 ms after now. */
  #playNext(): void {
    const frame = this.#playout.take();
    if (!frame && this.#playout.waiting === 0) this.#isDry = true;
    if (frame && this.#cameAt !== undefined) {
      const playedAt = this.#startedAt + this.#frames * this.#frameMs;
      this.#holds.push({ atMs: this.atMs, heldMs: playedAt - this.#cameAt });
      this.#cameAt = undefined;
    }
    if (frame && isLoud(frame)) {
      if (this.#quietMs > ONSET_SILENCE_MS || this.#agentOnsetMs < 0) {
        this.#agentOnsetMs = this.atMs;
      } else if (this.#quietMs > 0) {
        this.#gapsMs.push(this.#quietMs);
      }
      this.#agentLoudMs = this.atMs;
      this.#quietMs = 0;
    } else {
      this.#quietMs += FRAME_MS;
    }
    if (this.#options.isRecorded !== false) this.#agent.add(frame, this.frameLength);
  }

  #tellWaiters(): void {
    if (this.#waiters.length === 0) return;
    this.#waiters = this.#waiters.filter(({ isMet, done, untilMs }) => {
      const isSo = isMet();
      if (!isSo && this.atMs < untilMs) return true;
      done(isSo);
      return false;
    });
  }
}
