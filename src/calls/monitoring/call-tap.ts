import type { CallObserver } from '../../../agents-runtime/contract/call-observer.js';
import { FaultBoundary } from '../../../agents-runtime/timing/fault-boundary.js';
import type { CreateObserver } from '../session/call-session.js';
import { AudioMixer } from './audio-mixer.js';
import { toRunning } from './live-event.js';
import type { CallFeed, LiveEventBus } from './live-event-bus.js';

/** Publishes the calls of this gateway to its event bus. */
export function createCallTap(bus: LiveEventBus): CreateObserver {
  return ({ row, dependencies: { transport, clock, onFault } }) => {
    const started_at = new Date().toISOString();
    const feed = bus.begin(row.account_id, { ...toRunning(row), started_at });
    const boundary = new FaultBoundary({
      report: (error) => onFault('observer', error),
      end: () => undefined,
    });
    return watchCall(feed, new AudioMixer(transport.sampleRate, boundary.clock(clock)));
  };
}

/** Publishes a call's events, turns and audio to its feed. */
export function watchCall(feed: CallFeed, sound: AudioMixer): CallObserver {
  feed.sound = sound;
  return {
    input: (event) => {
      if (event.type === 'audio') sound.caller(event.samples);
    },
    playing: ({ samples }) => sound.agent(samples),
    output: (event) => {
      if (event.type === 'send') feed.send(event.event);
    },
    logged: (turn) => feed.turn(turn),
    ended: (reason) => feed.ended(reason),
  };
}
