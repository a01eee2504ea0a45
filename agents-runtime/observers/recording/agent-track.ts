import { SentAudio } from '../../output/sent-sound.js';
import { AudioTrack } from './audio-track.js';

/** So long is waited for reports that tell whether those before them were late. */
const HOLD_MS = 250;
/** A client that has not reported yet may still begin to. */
const FIRST_REPORT_MS = 400;
/** A client that reports no more has played on all the same. */
const SILENT_MS = 5_000;
/** Sound is not moved for less than this. */
const TOLERANCE_MS = 12;

/** What is known of the client's playhead, in the order in which it was learnt. */
type Mark =
  /** It has played up to a position, no later than then. */
  | { readonly type: 'played'; readonly position: number; readonly atMs: number }
  /** It goes on from a position, whatever it has not played. */
  | { readonly type: 'moved'; readonly position: number; readonly atMs: number };

/**
 * The agent's leg of a recording: what was sent is put where the client, by its own reports, played
 * it; what it dropped is not there. Of a client that never reports, its clock tells.
 */
export class AgentTrack {
  readonly track: AudioTrack;
  readonly #sent: SentAudio;
  readonly #marks: Mark[] = [];
  /** Positions at which the client was told to drop what it had, and has not been seen beyond since. */
  readonly #clears: number[] = [];
  /** What lies before this position is placed, or was not heard. */
  #done = 0;
  #reported = -1;
  /** Recording time of position zero, as the clock has it. */
  #clockMs = 0;
  #isPaused = false;
  #isLost = false;

  constructor(rate: number) {
    this.track = new AudioTrack('agent', rate);
    this.#sent = new SentAudio(rate);
  }

  sent(samples: Float32Array, nowMs: number): void {
    const isIdle = nowMs >= this.#clockMs + this.#ms(this.#sent.end);
    if (isIdle && !this.#isPaused) this.#clockMs = nowMs - this.#ms(this.#sent.end);
    this.#sent.push(samples, nowMs);
  }

  /** The client reports how far it has played. */
  played(playedMs: number, nowMs: number): void {
    const position = Math.min(this.#position(playedMs), this.#sent.end);
    if (position <= this.#reported) return;
    this.#reported = position;
    for (let drop = this.#clears[0]; drop !== undefined && drop <= position; ) {
      this.#clears.shift();
      // At the very place, it had played all of it before it was told.
      if (drop < position) this.#marks.push({ type: 'moved', position: drop, atMs: nowMs });
      drop = this.#clears[0];
    }
    this.#marks.push({ type: 'played', position, atMs: nowMs });
  }

  // What is said to a client whose wire is broken does not reach it, and is said again.
  paused(nowMs: number): void {
    if (this.#isLost || this.#isPaused) return;
    if (!this.#hasReports) this.#placeByClock(nowMs);
    this.#isPaused = true;
  }

  resumed(fromMs: number, nowMs: number): void {
    if (this.#isLost) return;
    this.#isPaused = false;
    this.#clockMs = nowMs - fromMs;
    const position = this.#position(fromMs);
    this.#reported = Math.min(this.#reported, position);
    this.#marks.push({ type: 'moved', position, atMs: nowMs });
  }

  /** The client drops what it has not played. */
  cleared(nowMs: number): void {
    if (this.#isLost) return;
    if (this.#hasReports) this.#clears.push(this.#sent.end);
    else {
      if (!this.#isPaused) this.#placeByClock(nowMs);
      this.#done = this.#sent.end;
    }
    this.#clockMs = nowMs - this.#ms(this.#sent.end);
    this.#isPaused = false;
  }

  lost(): void {
    this.#isLost = true;
  }

  /** The wire is back; the client had received so much, and what comes next has this position. */
  regained(receivedMs: number, nextMs: number): void {
    this.#isLost = false;
    this.#settleMarks(Number.POSITIVE_INFINITY);
    const received = Math.min(this.#position(receivedMs), this.#sent.end);
    this.#sent.restart(received, this.#position(nextMs));
    // Meanwhile it has played what it had.
    if (!this.#isPaused) this.#placeOn(received);
  }

  /** Places what is certain by now. */
  settle(nowMs: number): void {
    if (this.#hasReports) {
      this.#settleMarks(nowMs - HOLD_MS);
      const sentAt = this.#sent.sentAt(this.#done) ?? nowMs;
      const isSilent = nowMs - sentAt > SILENT_MS && this.#marks.length === 0;
      if (isSilent && !this.#isPaused && !this.#isLost && this.#clears.length === 0) {
        this.#placeOn(this.#position(nowMs - SILENT_MS - sentAt) + this.#done);
      }
    } else if (!this.#isPaused) this.#placeByClock(nowMs - FIRST_REPORT_MS);
    this.#sent.trim(this.#done);
  }

  /** Media is closed: places all that may have been heard until then. */
  finish(nowMs: number): void {
    if (this.#hasReports) this.#settleMarks(Number.POSITIVE_INFINITY);
    else if (!this.#isPaused) this.#placeByClock(nowMs);
    const isPlaying = !this.#isPaused && !this.#isLost && this.#clears.length === 0;
    if (isPlaying) this.#placeOn(this.#sent.end);
  }

  get #hasReports(): boolean {
    return this.#reported >= 0;
  }

  #settleMarks(untilMs: number): void {
    for (let mark = this.#marks[0]; mark && mark.atMs <= untilMs; mark = this.#marks[0]) {
      if (mark.type === 'moved') this.#done = mark.position;
      else this.#place(mark.position, this.#leastLate());
      this.#marks.shift();
    }
  }

  /** The recording time of position zero, by the first mark and those that follow without a jump. */
  #leastLate(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const mark of this.#marks) {
      if (mark.type === 'moved') break;
      least = Math.min(least, mark.atMs - this.#ms(mark.position));
    }
    return least;
  }

  /** The client plays by the clock. */
  #placeByClock(nowMs: number): void {
    const position = Math.min(this.#sent.end, this.#position(nowMs - this.#clockMs));
    this.#place(position, this.#clockMs);
  }

  /** Played without a break behind what was heard last, but not before it was sent. */
  #placeOn(position: number): void {
    const sentAt = this.#sent.sentAt(this.#done);
    if (sentAt === undefined) return;
    const startMs = Math.max(this.track.endMs, sentAt);
    this.#place(Math.min(position, this.#sent.end), startMs - this.#ms(this.#done));
  }

  /** All up to a position was heard. @param offsetMs recording time of position zero */
  #place(position: number, offsetMs: number): void {
    if (position <= this.#done) return;
    const startMs = this.#ms(this.#done) + offsetMs;
    const isUnbroken = Math.abs(startMs - this.track.endMs) <= TOLERANCE_MS;
    const shiftMs = isUnbroken ? this.track.endMs - startMs : 0;
    this.#sent.read(this.#done, position, (at, samples) => {
      this.track.place(Math.max(0, this.#ms(at) + offsetMs + shiftMs), samples);
    });
    this.#done = position;
  }

  #ms(position: number): number {
    return (position * 1000) / this.track.rate;
  }

  #position(ms: number): number {
    return Math.round((ms * this.track.rate) / 1000);
  }
}
