import type { CallObserver } from '../../agents-runtime/contract/call-observer.js';
import type { CallSound } from './call-sound.js';
import type { CallFeed } from './live-hub.js';

/** Publishes a call's events, turns and audio to its feed. */
export function watchCall(feed: CallFeed, sound: CallSound): CallObserver {
  feed.sound = sound;
  return {
    input(event) {
      if (event.type === 'audio') sound.caller(event.samples);
      if (event.type === 'lost') sound.hold(true);
      // The client's unplayed audio is sent again.
      if (event.type === 'regained') sound.clear();
    },
    output(event) {
      switch (event.type) {
        case 'audio':
          return sound.agent(event.samples);
        case 'pause':
          return sound.hold(true);
        case 'resume':
          return sound.hold(false);
        case 'clear':
          return sound.clear();
        case 'send':
          feed.send(event.event);
      }
    },
    logged: (turn) => feed.turn(turn),
    ended: (reason) => feed.ended(reason),
  };
}
