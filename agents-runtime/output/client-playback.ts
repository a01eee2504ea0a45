import type { Transport } from '../contract/transport.js';
import type { PlaybackTimeline } from './playback-timeline.js';

/** Pauses, continues and clears the client's playback, also after its connection was lost. */
export class ClientPlayback {
  readonly #transport: Transport;
  readonly #timeline: PlaybackTimeline;
  #isPaused = false;
  /** The transport cannot pause, so the client's audio was dropped. */
  #isCleared = false;
  /** The client has reported its playhead since the pause. */
  #hasPauseReport = false;
  #isLost = false;
  /** State of a client whose connection is lost: it is paused. */
  #isPausedAtLoss = false;
  /** State of a client whose connection is lost: it has audio that was dropped here. */
  #isStale = false;

  constructor(transport: Transport, timeline: PlaybackTimeline) {
    this.#transport = transport;
    this.#timeline = timeline;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** The client is paused and will still report where. */
  get isPauseReportDue(): boolean {
    const hasReports = this.#timeline.playhead.hasReports;
    return this.#isPaused && hasReports && !this.#hasPauseReport && !this.#isLost;
  }

  /** The client plays nothing after its reported position. */
  get isStoppedAtReport(): boolean {
    return this.#isLost || (this.#isPaused && this.#hasPauseReport);
  }

  /** Pauses the client, or drops its audio if the transport cannot pause. */
  pause(): void {
    if (!this.#transport.canPause) {
      this.#isCleared = true;
      this.#sendClear();
      return;
    }
    this.#isPaused = true;
    this.#hasPauseReport = false;
    this.#sendPause();
  }

  /** Continues after a pause. @returns whether the audio was dropped and must be sent again */
  resume(): boolean {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#sendResume();
    }
    const wasCleared = this.#isCleared;
    this.#isCleared = false;
    return wasCleared;
  }

  /** The utterance was cut. @param hasStarted - the client may have audio of it */
  cut(hasStarted: boolean): void {
    this.#isPaused = false;
    this.#isCleared = false;
    if (hasStarted) this.#sendClear();
    this.#isStale ||= this.#isLost;
  }

  /** The client reported a new position. */
  reported(): void {
    this.#hasPauseReport = true;
  }

  connectionLost(): void {
    this.#isLost = true;
    this.#timeline.connectionLost();
    this.#isPausedAtLoss = this.#isPaused;
  }

  /**
   * The connection is back: sends the audio again that the client did not receive.
   * @param announcePosition - receives the position of the next audio, before that audio is sent
   */
  connectionRegained(receivedMs: number, announcePosition: (fromMs: number) => void): void {
    this.#isLost = false;
    const { sentMs } = this.#timeline.playhead;
    const again = this.#timeline.frames.framesStartingAt(this.#isCleared ? sentMs : receivedMs);
    this.#timeline.connectionRegained(receivedMs);
    announcePosition(again[0]?.positionMs ?? sentMs);
    if (this.#isStale) this.#sendClear();
    for (const { positionMs, samples } of again) {
      this.#timeline.resent(positionMs);
      this.#transport.sendAudio(samples);
    }
    if (this.#isPaused) this.#sendPause();
    else if (this.#isPausedAtLoss && !this.#isStale) this.#sendResume();
    this.#isStale = false;
    this.#isPausedAtLoss = false;
  }

  #sendPause(): void {
    this.#timeline.paused();
    this.#transport.pause();
  }

  #sendResume(): void {
    const { playedMs } = this.#timeline.playhead;
    this.#timeline.resumed(playedMs);
    this.#transport.resumeFrom(playedMs);
  }

  #sendClear(): void {
    this.#timeline.cleared();
    this.#transport.clear();
  }
}
