import type { CallLog } from '../../agents-runtime/contract/call-log.js';
import type { CallEvent, CallInput, Transport } from '../../agents-runtime/contract/transport.js';
import type { CallDependencies } from '../../agents-runtime/session/call-dependencies.js';
import { ObservedTransport } from '../../agents-runtime/session/observed-transport.js';
import { CallSound } from './call-sound.js';
import type { CallFeed } from './live-hub.js';

/** The parts of a call of whose talk, and sound, is told to a feed. */
export function watchedParts(parts: CallDependencies, feed: CallFeed): CallDependencies {
  const sound = new CallSound(parts.transport.sampleRate, parts.clock);
  feed.sound = sound;
  return {
    ...parts,
    transport: new WatchedTransport(parts.transport, feed, sound),
    log: watchedLog(parts.log, feed),
    onEnded: (reason) => {
      parts.onEnded(reason);
      feed.ended(reason);
    },
  };
}

/** The call as its wire shall see it, of whose caller those who listen in hear. */
export function watchedInput(call: CallInput, { sound }: CallFeed): CallInput {
  return {
    connected: () => call.connected(),
    audio: (samples) => {
      sound?.caller(samples);
      call.audio(samples);
    },
    typed: (text) => call.typed(text),
    say: (text) => call.say(text),
    played: (playedMs) => call.played(playedMs),
    lost: (forMs) => {
      sound?.hold(true);
      call.lost(forMs);
    },
    regained: (receivedMs, announce) => {
      sound?.clear(); // what had not been heard is sent again
      call.regained(receivedMs, announce);
    },
    hangUp: (reason) => call.hangUp(reason),
  };
}

/** A wire of which is told what it tells its client. */
class WatchedTransport extends ObservedTransport {
  readonly #feed: CallFeed;
  readonly #sound: CallSound;

  constructor(wire: Transport, feed: CallFeed, sound: CallSound) {
    super(wire);
    this.#feed = feed;
    this.#sound = sound;
  }

  override audio(samples: Float32Array): void {
    super.audio(samples);
    this.#sound.agent(samples);
  }

  override pause(): void {
    super.pause();
    this.#sound.hold(true);
  }

  override resumeFrom(fromMs: number): void {
    super.resumeFrom(fromMs);
    this.#sound.hold(false);
  }

  override clear(): void {
    super.clear();
    this.#sound.clear();
  }

  override send(event: CallEvent): void {
    super.send(event);
    this.#feed.wire(event);
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
