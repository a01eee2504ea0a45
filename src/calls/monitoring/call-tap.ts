import type { CallObserver } from '../../../agents-runtime/contract/call-observer.js';
import type { AudioMixer } from './audio-mixer.js';
import type { CallFeed } from './live-event-bus.js';

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
