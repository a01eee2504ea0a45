import type { Clock, Timer } from '../../../contract/clock.js';

/** LiveKit SIP's attribute of a telephone, and what it is until there is an answer. */
const STATUS = 'sip.callStatus';
const UNANSWERED: ReadonlySet<string | undefined> = new Set(['dialing', 'ringing']);
/** A telephone that rings for longer is talked to all the same, before it is let go: its status may have got lost. */
const MAX_RING_MS = 15_000;
/** Who has not taken the agent's track by then, and rings no more, is not waited for: some only type. */
const TRACK_MS = 2_000;

export interface AnswerDetectorOptions {
  readonly clock: Clock;
  /** A telephone's; of others they say nothing. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Resolves when somebody in the room has taken the agent's track. */
  readonly taken: Promise<void>;
  /** Told once: what is said from now on is heard. */
  readonly onOpen: () => void;
}

/**
 * Tells when the caller hears the agent: what is said before that is lost. It takes a client a moment to
 * take a track, over the Internet a part of a second; and LiveKit SIP shows telephones in the room while
 * they still ring, and answers once the agent's track is there.
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

  /** Sees the attributes as they are now. */
  changed(attributes: Readonly<Record<string, string>>): void {
    if (this.#isOver || !this.#isRinging || UNANSWERED.has(attributes[STATUS])) return;
    this.#isRinging = false;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(TRACK_MS, () => this.#report());
    this.#options.taken.then(
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
