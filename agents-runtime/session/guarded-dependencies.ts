import type { CallObserver } from '../contract/call-observer.js';
import type { CallEvent, Transport } from '../contract/transport.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { CallDependencies } from './call-dependencies.js';
import { ObservedTransport } from './observed-transport.js';

/**
 * A call's parts with its fault boundary around them: callbacks that a part invokes do not throw into
 * it, and a transport or an observer that throws does not unwind what the call was doing. Providers
 * (models, voices, tools, the record) are left: the call handles their faults where it uses them.
 */
export function guardedParts(parts: CallDependencies, boundary: FaultBoundary): CallDependencies {
  const { clock, ticker, observer, voiceActivity, noiseReduction, streamingSpeechToText } = parts;
  return {
    ...parts,
    transport: new GuardedTransport(parts.transport, boundary),
    clock: boundary.clock(clock),
    ticker: {
      ...boundary.ticker(ticker),
      on: (other) => ticker.on(other),
    },
    observer: observer && guardedObserver(observer, boundary),
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
      open({ onSamples, onFault }) {
        const line = noiseReduction.open({
          onSamples: boundary.guard(onSamples),
          onFault: boundary.guard(onFault),
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
    onFault(part, error) {
      try {
        parts.onFault(part, error);
      } catch {
        // There is nowhere left to report a report that failed.
      }
    },
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

class GuardedTransport extends ObservedTransport {
  readonly #boundary: FaultBoundary;

  constructor(transport: Transport, boundary: FaultBoundary) {
    super(transport);
    this.#boundary = boundary;
  }

  override audio(samples: Float32Array): void {
    this.#boundary.run(() => super.audio(samples));
  }

  override pause(): void {
    this.#boundary.run(() => super.pause());
  }

  override resumeFrom(fromMs: number): void {
    this.#boundary.run(() => super.resumeFrom(fromMs));
  }

  override clear(): void {
    this.#boundary.run(() => super.clear());
  }

  override send(event: CallEvent): void {
    this.#boundary.run(() => super.send(event));
  }

  override close(): void {
    this.#boundary.run(() => super.close());
  }
}
