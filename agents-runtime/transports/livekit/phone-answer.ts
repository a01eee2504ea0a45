import type { Clock, Timer } from '../../clock.js';

/** LiveKit SIP's attribute of a telephone, and what it is until there is an answer. */
const STATUS = 'sip.callStatus';
const UNANSWERED: ReadonlySet<string | undefined> = new Set(['dialing', 'ringing']);
/** One that rings for longer is talked to all the same, before it is let go: its status may have got lost. */
const LONGEST_RING_MS = 15_000;
/** An answered one that has not taken the agent's track by then is not waited for. */
const TRACK_MS = 2_000;

export interface PhoneAnswerOptions {
  readonly clock: Clock;
  readonly attributes: Readonly<Record<string, string>>;
  /** Resolves when somebody in the room has taken the agent's track. */
  readonly taken: Promise<void>;
  /** Told once: what is said from now on is heard. */
  readonly onAnswered: () => void;
}

/**
 * Tells when who telephones hears the agent. LiveKit SIP shows them in the room while it still rings
 * there; it answers once the agent's track is there, and what was said before that nobody has heard.
 */
export class PhoneAnswer {
  readonly #options: PhoneAnswerOptions;
  #timer: Timer | undefined;
  #isRinging = true;
  #isOver = false;

  constructor(options: PhoneAnswerOptions) {
    this.#options = options;
    this.#timer = options.clock.after(LONGEST_RING_MS, () => this.#tell());
    this.changed(options.attributes);
  }

  /** Sees the attributes as they are now. */
  changed(attributes: Readonly<Record<string, string>>): void {
    if (this.#isOver || !this.#isRinging || UNANSWERED.has(attributes[STATUS])) return;
    this.#isRinging = false;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(TRACK_MS, () => this.#tell());
    this.#options.taken.then(
      () => this.#tell(),
      () => this.#tell(),
    );
  }

  close(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }

  #tell(): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onAnswered();
  }
}
