import type { CallLog } from '../contract/call-log.js';
import type { CallFault } from '../contract/errors.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { CallDependencies } from './call-dependencies.js';
import { ObservedTransport } from './observed-transport.js';
import { ObserverGroup } from './observer-group.js';

/** The dependencies of a call inside its fault boundary. */
export interface GuardedDependencies extends Omit<CallDependencies, 'observers'> {
  readonly observer: ObserverGroup | undefined;
}

/**
 * Puts a call's fault boundary around its dependencies: callbacks that a dependency invokes do not throw
 * into it, and a transport or an observer that throws does not unwind the call's code. Providers (models,
 * voices, tools, the call log) are not wrapped: the call handles their faults where it uses them.
 * @param startedAt - clock time of call time zero
 */
export function guardedParts(
  { observers = [], ...parts }: CallDependencies,
  boundary: FaultBoundary,
  startedAt: number,
): GuardedDependencies {
  const { clock, ticker, log, voiceActivity, noiseReduction, streamingSpeechToText } = parts;
  const onFault: CallFault = (part, error) => {
    try {
      parts.onFault(part, error);
    } catch {
      // There is nowhere left to report a report that failed.
    }
    observer?.fault(part, error);
  };
  const report = (error: unknown) => onFault('observer', error);
  const observer =
    observers.length > 0 ? new ObserverGroup({ observers, clock, startedAt, report }) : undefined;
  return {
    ...parts,
    observer,
    transport: new ObservedTransport(parts.transport, boundary, observer),
    log: observer ? observedLog(log, observer) : log,
    clock: boundary.clock(clock),
    ticker: {
      ...boundary.ticker(ticker),
      on: (other) => ticker.on(other),
    },
    voiceActivity: {
      open(onWindow) {
        const stream = voiceActivity.open(boundary.guard(onWindow));
        return {
          push: (window) => stream.push(window),
          close: boundary.guard(() => stream.close()),
        };
      },
    },
    noiseReduction: noiseReduction && {
      open(options) {
        const line = noiseReduction.open({
          onSamples: boundary.guard(options.onSamples),
          onFault: boundary.guard(options.onFault),
        });
        return {
          push: (samples, isNoisy) => line.push(samples, isNoisy),
          close: boundary.guard(() => line.close()),
        };
      },
    },
    streamingSpeechToText: streamingSpeechToText && {
      id: streamingSpeechToText.id,
      open({ language, onResult, onFault }) {
        const line = streamingSpeechToText.open({
          language,
          onResult: boundary.guard(onResult),
          onFault: boundary.guard(onFault),
        });
        return {
          get isOpen() {
            return line.isOpen;
          },
          get position() {
            return line.position;
          },
          push: (samples) => line.push(samples),
          finalise: () => line.finalise(),
          close: boundary.guard(() => line.close()),
        };
      },
    },
    onFault,
  };
}

function observedLog(log: CallLog, observer: ObserverGroup): CallLog {
  return {
    started: () => log.started(),
    async turn(turn) {
      await log.turn(turn);
      observer.logged(turn);
    },
    ended: (reason) => log.ended(reason),
  };
}
