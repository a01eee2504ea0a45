import type {
  CallEffect,
  EffectHandlers,
} from '../../../../agents-runtime/session/effect-runner.js';

/** Handlers that pass every effect to one function. */
export function handleEffects(handle: (effect: CallEffect) => void): EffectHandlers {
  return {
    'judge-turn': handle,
    'finalise-transcript': handle,
    'prepare-reply': handle,
    'drop-prepared': handle,
    'commit-turn': handle,
    'drop-turn': handle,
    'queue-turn': handle,
    'retract-transcript': handle,
    'record-unanswered': handle,
    speak: handle,
    'reply-to-tools': handle,
    'note-ends-soon': handle,
    'hang-up': handle,
    'hold-playout': handle,
    'resume-playout': handle,
    'cut-playout': handle,
    'publish-state': handle,
  };
}
