import type { CallLog } from '../contract/call-log.js';
import type { CallFault } from '../contract/errors.js';
import type { Transport } from '../contract/transport.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { CallDependencies } from './call-dependencies.js';
import { observedProviders } from './observed-providers.js';
import { ObservedTransport } from './observed-transport.js';
import { ObserverGroup } from './observer-group.js';

/** The dependencies of a call within its fault boundary. */
export interface GuardedPorts extends Omit<CallDependencies, 'observers'> {
  /** Undefined without observers: the ports then have no wrapper that notifies them. */
  readonly observer: ObserverGroup | undefined;
}

/**
 * The call's dependencies within its fault boundary: timers do not throw into the clock and the ticker that
 * calls share, and an exception of the transport does not interrupt the call's own steps. Faults of
 * providers (models, voices, tools, the record) are handled where the call uses them.
 * @param startedAt - clock time of call time zero, ms
 */
export function guardedPorts(
  { observers = [], ...unobserved }: CallDependencies,
  boundary: FaultBoundary,
  startedAt: number,
): GuardedPorts {
  const { transport, clock, ticker } = unobserved;
  const onFault: CallFault = (part, error) => {
    try {
      unobserved.onFault(part, error);
    } catch {
      // A failed report cannot be reported.
    }
    observer?.fault(part, error);
  };
  const report = (error: unknown) => onFault('observer', error);
  const observer =
    observers.length > 0 ? new ObserverGroup({ observers, clock, startedAt, report }) : undefined;
  const observed = observer ? new ObservedTransport(transport, observer) : transport;
  const ports = observer?.has('provider') ? observedProviders(unobserved, observer) : unobserved;
  return {
    ...ports,
    observer,
    transport: guardedTransport(observed, boundary),
    callLog: observer ? notifyingLog(ports.callLog, observer) : ports.callLog,
    clock: boundary.clock(clock),
    ticker: boundary.ticker(ticker),
    onFault,
  };
}

function guardedTransport(transport: Transport, boundary: FaultBoundary): Transport {
  const { sampleRate, hasEchoCanceller, canPause } = transport;
  return {
    sampleRate,
    hasEchoCanceller,
    canPause,
    get callerDelayMs() {
      return transport.callerDelayMs;
    },
    get backlogBytes() {
      return transport.backlogBytes;
    },
    sendAudio: boundary.guard((samples) => transport.sendAudio(samples)),
    pause: boundary.guard(() => transport.pause()),
    resumeFrom: boundary.guard((positionMs) => transport.resumeFrom(positionMs)),
    clear: boundary.guard(() => transport.clear()),
    send: boundary.guard((event) => transport.send(event)),
    close: boundary.guard(() => transport.close()),
  };
}

function notifyingLog(log: CallLog, observer: ObserverGroup): CallLog {
  return {
    started: () => log.started(),
    async turn(turn) {
      await log.turn(turn);
      observer.logged(turn);
    },
    ended: (reason) => log.ended(reason),
  };
}
