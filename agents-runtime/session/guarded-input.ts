import type { CallInput, SayRefusal } from '../contract/transport.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';

/** A call whose methods no longer throw into the transport that invokes them. */
export function guardedInput(call: CallInput, boundary: FaultBoundary): CallInput {
  return {
    connected: () => boundary.run(() => call.connected()),
    audio: (samples) => boundary.run(() => call.audio(samples)),
    typed: (text) => boundary.run(() => call.typed(text)),
    say(text) {
      let refusal: SayRefusal | undefined = 'ending';
      boundary.run(() => {
        refusal = call.say(text);
      });
      return refusal;
    },
    played: (playedMs) => boundary.run(() => call.played(playedMs)),
    lost: (forMs) => boundary.run(() => call.lost(forMs)),
    regained: (receivedMs, announce) => boundary.run(() => call.regained(receivedMs, announce)),
    hangUp: (reason) => boundary.run(() => call.hangUp(reason)),
  };
}
