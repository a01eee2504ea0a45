import type { Clock, Timer } from '../../../contract/clock.js';

/** LiveKit SIP's attribute of a telephone, and its values before the answer. */
const STATUS = 'sip.callStatus';
const UNANSWERED: ReadonlySet<string | undefined> = new Set(['dialing', 'ringing']);
/** Longest wait for an answer. After it the agent speaks anyway, because the status may have been lost. */
const MAX_RING_MS = 15_000;
/** Longest wait for the caller's subscription after the answer. Some clients use text only. */
const TRACK_MS = 2_000;

export interface AnswerDetectorOptions {
  readonly clock: Clock;
  /** Attributes of a telephone; empty for other participants. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Resolves when a participant has subscribed to the agent's track. */
  readonly subscribed: Promise<void>;
  /** Called once: the caller receives audio from now on. */
  readonly onOpen: () => void;
}

/**
 * Detects when the caller receives the agent's audio; earlier audio would be lost. A client needs a fraction of a
 * second to subscribe, and LiveKit SIP adds telephones to the room while they still ring.
 */
export class AnswerDetector {
  readonly #options: AnswerDetectorOptions;
  #timer: Timer | undefined;
  #isRinging = true;
  #isOver = false;

  constructor(options: AnswerDetectorOptions) {
    this.#options = options;
    this.#timer = options.clock.after(MAX_RING_MS, () => this.#report());
    this.changed(options.attributes);
  }

  /** The attributes have changed. */
  changed(attributes: Readonly<Record<string, string>>): void {
    if (this.#isOver || !this.#isRinging || UNANSWERED.has(attributes[STATUS])) return;
    this.#isRinging = false;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(TRACK_MS, () => this.#report());
    this.#options.subscribed.then(
      () => this.#report(),
      () => this.#report(),
    );
  }

  close(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }

  #report(): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onOpen();
  }
}
