import { expect, it } from 'vitest';
import type { TransportEvent } from '../../../agents-runtime/contract/call-observer.js';
import type { CallEvent, Transport } from '../../../agents-runtime/contract/transport.js';
import { ObservedTransport } from '../../../agents-runtime/session/observed-transport.js';

const ignoring = { output: () => undefined };

/** Every method of a transport, so that new methods must be tested here. */
type Acts = {
  readonly [Part in keyof Transport as Transport[Part] extends (...args: never[]) => void
    ? Part
    : never]: Transport[Part];
};

function createTransport() {
  const calls: unknown[][] = [];
  const traits = {
    sampleRate: 8_000,
    hasEchoCanceller: false,
    canPause: false,
    callerDelayMs: 7,
    backlogBytes: 0,
  };
  const acts: Acts = {
    sendAudio: (samples) => calls.push(['sendAudio', samples]),
    pause: () => calls.push(['pause']),
    resumeFrom: (fromMs) => calls.push(['resumeFrom', fromMs]),
    clear: () => calls.push(['clear']),
    send: (event) => calls.push(['send', event]),
    close: () => calls.push(['close']),
  };
  return { calls, traits, acts };
}

it('an observed transport forwards all methods with their arguments', () => {
  const { calls, traits, acts } = createTransport();
  const observed: TransportEvent[] = [];
  const observer = { output: (event: TransportEvent) => void observed.push(event) };
  const wire = new ObservedTransport(Object.assign(traits, acts), observer);
  const samples = Float32Array.of(0.5);
  const event: CallEvent = { type: 'state', state: 'listening' };
  wire.sendAudio(samples);
  wire.pause();
  wire.resumeFrom(120);
  wire.clear();
  wire.send(event);
  wire.close();
  expect(calls).toEqual([
    ['sendAudio', samples],
    ['pause'],
    ['resumeFrom', 120],
    ['clear'],
    ['send', event],
    ['close'],
  ]);
  expect(calls.map(([act]) => act)).toEqual(Object.keys(acts));
  expect(observed).toEqual([
    { type: 'audio', samples },
    { type: 'pause' },
    { type: 'resume', fromMs: 120 },
    { type: 'clear' },
    { type: 'send', event },
    { type: 'close' },
  ]);
});

it('an observed transport reports the current properties of its transport', () => {
  const { traits, acts } = createTransport();
  const wire = new ObservedTransport(Object.assign(traits, acts), ignoring);
  expect(wire).toMatchObject({ sampleRate: 8_000, hasEchoCanceller: false, backlogBytes: 0 });
  expect(wire).toMatchObject({ canPause: false, callerDelayMs: 7 });
  traits.backlogBytes = 512;
  expect(wire.backlogBytes).toBe(512);
});
