import type { CallObserver } from '../contract/call-observer.js';
import type { Transport } from '../contract/transport.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { CallDependencies } from './call-dependencies.js';

/**
 * The call's dependencies within its fault boundary: timers do not throw into the clock and the ticker that
 * calls share, and an exception of the transport or of the observer does not interrupt the call's own steps.
 * Faults of providers (models, voices, tools, the record) are handled where the call uses them.
 */
export function guardedPorts(parts: CallDependencies, boundary: FaultBoundary): CallDependencies {
  const { transport, clock, ticker, observer } = parts;
  return {
    ...parts,
    transport: guardedTransport(transport, boundary),
    clock: boundary.clock(clock),
    ticker: boundary.ticker(ticker),
    observer: observer && guardedObserver(observer, boundary),
    onFault(part, error) {
      try {
        parts.onFault(part, error);
      } catch {
        // A failed report cannot be reported.
      }
    },
  };
}

function guardedTransport(transport: Transport, boundary: FaultBoundary): Transport {
  const { sampleRate, hasEchoCanceller, canPause = true } = transport;
  return {
    sampleRate,
    hasEchoCanceller,
    canPause,
    get callerDelayMs() {
      return transport.callerDelayMs ?? 0;
    },
    get backlogBytes() {
      return transport.backlogBytes;
    },
    audio: boundary.guard((samples) => transport.audio(samples)),
    pause: boundary.guard(() => transport.pause()),
    resumeFrom: boundary.guard((fromMs) => transport.resumeFrom(fromMs)),
    clear: boundary.guard(() => transport.clear()),
    send: boundary.guard((event) => transport.send(event)),
    close: boundary.guard(() => transport.close()),
  };
}

function guardedObserver(observer: CallObserver, boundary: FaultBoundary): CallObserver {
  return {
    state: boundary.guard((state) => observer.state(state)),
    turn: boundary.guard((outcome) => observer.turn(outcome)),
    latency: boundary.guard((latency) => observer.latency(latency)),
    dropped: boundary.guard((samples) => observer.dropped(samples)),
  };
}
