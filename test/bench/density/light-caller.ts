import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../../agents-runtime/transports/websocket/protocol.js';
import type { ConnectionDetails } from '../../support/harness/call/call-client.js';

const REPORT_MS = 100;
/** Minimum time between the end of an answer and the next question, in milliseconds. */
const MIN_PAUSE = 500;
const MAX_PAUSE = 1_500;
/** Timeout for the start of an answer. */
const ANSWER_WITHIN_MS = 8_000;
/** A larger delay of audio after the end of the previous audio is an audible gap. */
const AUDIBLE_GAP_MS = 5;

/** Results of several callers. */
export interface CallerFigures {
  questions: number;
  answers: number;
  unanswered: number;
  /** Gaps inside an answer's audio in milliseconds. */
  readonly gapsMs: number[];
  /** Reasons for sockets closed by the gateway. */
  readonly lost: string[];
}

/** A caller with minimal CPU cost that repeats a question and receives the answers. */
export class LightCaller {
  readonly #socket: WebSocket;
  readonly #token: string;
  readonly #figures: CallerFigures;
  /** The question in frames. */
  readonly #question: readonly Buffer[];
  readonly #silence: Buffer;
  #isReady = false;
  #next = 0;
  #isAsking = false;
  #askAt = Number.POSITIVE_INFINITY;
  #giveUpAt = Number.POSITIVE_INFINITY;
  #bytesPerMs = 48;
  #receivedMs = 0;
  #playedMs = 0;
  #playedAt = 0;
  #reportedAt = 0;
  #isPaused = false;
  #isSpeaking = false;
  #emptyAt: number | undefined;

  constructor(
    { server_url, participant_token }: ConnectionDetails,
    question: readonly Buffer[],
    figures: CallerFigures,
  ) {
    this.#question = question;
    this.#silence = Buffer.alloc(question[0]!.length);
    this.#figures = figures;
    this.#token = participant_token;
    this.#socket = new WebSocket(server_url, [SUBPROTOCOL], { perMessageDeflate: false });
    this.#socket.on('open', () => this.#send({ type: 'hello', token: this.#token }));
    this.#socket.on('message', (data, isBinary) => {
      if (isBinary) this.#receiveAudio((data as Buffer).length);
      else this.#take(JSON.parse(String(data)));
    });
    this.#socket.on('error', (error) => figures.lost.push(error.message));
    this.#socket.on('close', (code) => {
      if (this.#isReady) figures.lost.push(`closed with ${code}`);
      this.#isReady = false;
    });
  }

  /** Runs every 20 ms: sends the next microphone frame and advances playback. */
  tick(now: number): void {
    if (!this.#isReady) return;
    if (now >= this.#askAt) this.#ask(now);
    if (now >= this.#giveUpAt) {
      this.#figures.unanswered++;
      this.#ask(now);
    }
    this.#socket.send(this.#isAsking ? this.#question[this.#next++]! : this.#silence);
    if (this.#next === this.#question.length) {
      this.#isAsking = false;
      this.#next = 0;
      this.#giveUpAt = now + ANSWER_WITHIN_MS;
    }
    this.#play(now);
  }

  close(): void {
    this.#isReady = false;
    this.#send({ type: 'end' });
    setTimeout(() => this.#socket.terminate(), 2_000).unref();
  }

  #ask(now: number): void {
    this.#isAsking = true;
    this.#next = 0;
    this.#askAt = Number.POSITIVE_INFINITY;
    this.#giveUpAt = Number.POSITIVE_INFINITY;
    this.#figures.questions++;
    this.#playedAt = now;
  }

  #receiveAudio(bytes: number): void {
    const now = performance.now();
    if (this.#emptyAt !== undefined && this.#isSpeaking) {
      const gapMs = now - this.#emptyAt;
      if (gapMs > AUDIBLE_GAP_MS) this.#figures.gapsMs.push(gapMs);
    }
    if (this.#playedMs >= this.#receivedMs) this.#playedAt = now;
    this.#emptyAt = undefined;
    this.#receivedMs += bytes / this.#bytesPerMs;
  }

  #play(now: number): void {
    if (this.#isPaused || this.#playedMs >= this.#receivedMs) return;
    const passed = now - this.#playedAt;
    this.#playedAt = now;
    this.#playedMs += passed;
    if (this.#playedMs >= this.#receivedMs) {
      this.#emptyAt = now - (this.#playedMs - this.#receivedMs);
      this.#playedMs = this.#receivedMs;
    }
    if (now - this.#reportedAt >= REPORT_MS || this.#emptyAt !== undefined) this.#report(now);
  }

  #report(now: number): void {
    this.#reportedAt = now;
    this.#send({ type: 'playout', playedMs: this.#playedMs });
  }

  #take(message: { readonly type: string; readonly [key: string]: unknown }): void {
    const now = performance.now();
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#bytesPerMs =
          (2 * (message.audio as { readonly downSampleRate: number }).downSampleRate) / 1000;
        return;
      case 'state':
        this.#show(String(message.state), now);
        return;
      case 'pause':
        this.#play(now);
        this.#isPaused = true;
        this.#report(now);
        return;
      case 'resume':
        this.#isPaused = false;
        this.#playedAt = now;
        return;
      case 'clear':
        this.#report(now);
        this.#isPaused = false;
        this.#playedMs = this.#receivedMs;
        return;
      case 'end':
        if (this.#isReady) this.#figures.lost.push(String(message.reason));
    }
  }

  #show(state: string, now: number): void {
    this.#isSpeaking = state === 'speaking';
    this.#emptyAt = undefined;
    if (state === 'speaking') {
      if (this.#giveUpAt !== Number.POSITIVE_INFINITY) this.#figures.answers++;
      this.#giveUpAt = Number.POSITIVE_INFINITY;
    }
    if (state === 'listening' && !this.#isAsking) {
      const pause = MIN_PAUSE + Math.random() * (MAX_PAUSE - MIN_PAUSE);
      this.#askAt = now + pause;
    }
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
