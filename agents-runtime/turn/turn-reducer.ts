import type { TurnEvent } from '../contract/turn-events.js';
import {
  close,
  onPlayoutFinished,
  onPlayoutStalled,
  onPlayoutStarted,
  onTyped,
} from './agent-turn.js';
import {
  onConnected,
  onEnding,
  onLimitTimer,
  onTools,
  startNextUtterance,
  startSilenceTimer,
} from './call-limits.js';
import { afterUtterance, countRecognitionFaults, onReplyFailed } from './faults.js';
import { andThen, type TurnSettings, type TurnState, type TurnStep } from './turn-state.js';
import {
  onAgentSaid,
  onCompleteness,
  onPause,
  onSpeech,
  onStop,
  onTimer,
  onTranscript,
  openTurn,
} from './user-turn.js';

/** The state in which a call begins. */
export function initialTurnState(settings: TurnSettings): TurnState {
  return {
    settings,
    user: { phase: 'silent' },
    agent: { phase: 'idle' },
    turn: undefined,
    expectedEntity: undefined,
    queuedText: undefined,
    queuedTurn: undefined,
    answering: undefined,
    carriedText: undefined,
    nextTurn: 1,
    nextUtterance: 1,
    pending: [],
    dictated: [],
    silence: {
      isConnected: false,
      prompts: 0,
      isPromptDelayed: false,
      runningTools: 0,
      hasReportedNoAudio: false,
    },
    faults: { voice: 0, reply: 0, failedReply: 0, recognition: 0 },
    isClosed: false,
  };
}

/**
 * Decides who speaks. Pure: the same state, event and time give the same step.
 * @param nowMs - call time, ms
 */
export function stepTurn(state: TurnState, event: TurnEvent, nowMs: number): TurnStep {
  if (state.isClosed) return [state];
  const [next, ...effects] = step(state, event, nowMs);
  const counted = andThen([next, ...effects], (s) => countRecognitionFaults(s, effects, nowMs));
  return startSilenceTimer(state, andThen(counted, startNextUtterance), nowMs);
}

function step(state: TurnState, event: TurnEvent, nowMs: number): TurnStep {
  switch (event.type) {
    case 'connected':
      return onConnected(state, event.greets, nowMs);
    case 'audio-started':
      return [state, { type: 'cancel-timer', timer: 'no-audio' }];
    case 'language':
      return [{ ...state, settings: { ...state.settings, language: event.language } }];
    case 'speech-started':
      return onSpeech(openTurn(state, event.startMs, event.over), nowMs);
    case 'speech-resumed':
      return onSpeech(state, nowMs);
    case 'speech-paused':
      return onPause(state, event.speechEndMs);
    case 'speech-stopped':
      return onStop(state, event.speechEndMs);
    case 'completeness':
      return onCompleteness(state, event.speechEndMs, event.probability, nowMs);
    case 'transcript':
      return onTranscript(state, event, nowMs);
    case 'dictated':
      return [{ ...state, dictated: [...state.dictated, event.text] }];
    case 'agent-said':
      return onAgentSaid(state, event.text);
    case 'typed':
      return andThen([state, { type: 'cancel-timer', timer: 'no-audio' }], (s) =>
        onTyped(s, event.text),
      );
    case 'timer':
      return onTimerOf(state, event.timer, nowMs);
    case 'playout-started':
      return onPlayoutStarted(state, event.utterance);
    case 'playout-stalled':
      return onPlayoutStalled(state, event.utterance);
    case 'playout-finished':
      return onFinished(state, event, nowMs);
    case 'tool-started':
      return onTools(state, 1, false);
    case 'tool-ended':
      return onTools(state, -1, event.isLate);
    case 'reply-failed':
      return onReplyFailed(state, event.utterance);
    case 'ending':
      return onEnding(state, event.utterance, { reason: event.reason, nowMs });
    case 'close':
      return close(state);
  }
}

function onTimerOf(
  state: TurnState,
  timer: Extract<TurnEvent, { type: 'timer' }>['timer'],
  nowMs: number,
): TurnStep {
  switch (timer) {
    case 'commit':
    case 'judge-again':
    case 'late-transcript':
    case 'false-interruption':
      return onTimer(state, timer, nowMs);
    default:
      return onLimitTimer(state, timer, nowMs);
  }
}

/** The utterance is over: a voice apology or the call's end may follow. */
function onFinished(
  state: TurnState,
  { utterance, isFaulty = false }: Extract<TurnEvent, { type: 'playout-finished' }>,
  nowMs: number,
): TurnStep {
  const isCurrent = state.agent.phase !== 'idle' && state.agent.utterance.id === utterance;
  const endsCall = isCurrent && state.agent.utterance.ends !== undefined;
  const finished = onPlayoutFinished(state, utterance);
  if (!isCurrent || endsCall) return finished;
  return andThen(finished, (s) => afterUtterance(s, utterance, { isFaulty, nowMs }));
}
