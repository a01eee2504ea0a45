import {
  onAgentSaid,
  onCompleteness,
  onPause,
  onSpeech,
  onStop,
  onTimer,
  onTranscript,
  openTurn,
} from './caller.js';
import { close, onPlayoutFinished, onPlayoutStarted, onTyped, say } from './floor.js';
import type { TurnEvent, TurnState, TurnStep } from './turn-state.js';

/** Who has the floor. Pure: the same state, event and time give the same step. `nowMs` is call time. */
export function stepTurn(state: TurnState, event: TurnEvent, nowMs: number): TurnStep {
  if (state.isClosed) return [state];
  switch (event.type) {
    case 'speech-started':
      return onSpeech(openTurn(state, event.startMs), nowMs);
    case 'speech-resumed':
      return onSpeech(state, nowMs);
    case 'speech-paused':
      return onPause(state, event.zeroMs);
    case 'speech-stopped':
      return onStop(state, event.zeroMs);
    case 'completeness':
      return onCompleteness(state, event.zeroMs, event.probability, nowMs);
    case 'transcript':
      return onTranscript(state, event.text, event.zeroMs, nowMs);
    case 'agent-said':
      return onAgentSaid(state, event.text);
    case 'typed':
      return onTyped(state, event.text);
    case 'timer':
      return onTimer(state, event.timer, nowMs);
    case 'say':
      return say(state, event.kind);
    case 'playout-started':
      return onPlayoutStarted(state, event.utterance);
    case 'playout-finished':
      return onPlayoutFinished(state, event.utterance);
    case 'close':
      return close(state);
  }
}
