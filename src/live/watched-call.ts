import type { CallLog } from '../../agents-runtime/call/call-log.js';
import type { CallParts } from '../../agents-runtime/call/call-parts.js';
import type { CallEvent, CallTransport } from '../../agents-runtime/call/transport.js';
import type { CallFeed } from './live-hub.js';

/** The parts of a call of whose talk is told to a feed. */
export function watchedParts(parts: CallParts, feed: CallFeed): CallParts {
  return {
    ...parts,
    transport: new WatchedTransport(parts.transport, feed),
    log: watchedLog(parts.log, feed),
    onEnded: (reason) => {
      parts.onEnded(reason);
      feed.ended(reason);
    },
  };
}

/** A wire of which is told what it tells its client. */
class WatchedTransport implements CallTransport {
  readonly #wire: CallTransport;
  readonly #feed: CallFeed;

  constructor(wire: CallTransport, feed: CallFeed) {
    this.#wire = wire;
    this.#feed = feed;
  }

  get sampleRate(): number {
    return this.#wire.sampleRate;
  }

  get hasEchoCanceller(): boolean {
    return this.#wire.hasEchoCanceller;
  }

  get canPause(): boolean {
    return this.#wire.canPause !== false;
  }

  get backlogBytes(): number {
    return this.#wire.backlogBytes;
  }

  audio(samples: Float32Array): void {
    this.#wire.audio(samples);
  }

  pause(): void {
    this.#wire.pause();
  }

  resumeFrom(fromMs: number): void {
    this.#wire.resumeFrom(fromMs);
  }

  clear(): void {
    this.#wire.clear();
  }

  send(event: CallEvent): void {
    this.#wire.send(event);
    this.#feed.wire(event);
  }

  close(): void {
    this.#wire.close();
  }
}

/** A turn is told when it is written: whoever comes later finds it there. */
function watchedLog(log: CallLog, feed: CallFeed): CallLog {
  return {
    started: () => log.started(),
    async turn(turn) {
      await log.turn(turn);
      feed.turn(turn);
    },
    ended: (reason) => log.ended(reason),
  };
}
