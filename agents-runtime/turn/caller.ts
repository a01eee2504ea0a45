import { commitDelayMs } from '../../media/endpointing/commit-delay.js';
import {
  answer,
  answerWaiting,
  holdAgent,
  onFalseInterruption,
  resume,
  waitForFloor,
  weighInterruption,
  wholeText,
} from './floor.js';
import {
  andThen,
  type Turn,
  type TurnEffect,
  type TurnState,
  type TurnStep,
  type TurnTimer,
} from './turn-state.js';
import { isBackchannel, wordsOf } from './words.js';

/** How long a due turn waits for its transcript. */
export const LATE_TRANSCRIPT_MS = 1500;
/** Below this probability no reply is made ahead: the turn will most likely go on. */
const LIKELY_COMPLETE = 0.5;

/** The caller's side of the floor: what is being said, and when it is over. */
export function openTurn(state: TurnState, startMs: number): TurnState {
  if (state.turn) return state;
  const turn: Turn = {
    index: state.nextTurn,
    startMs,
    text: '',
    isFinal: false,
    hasTranscript: false,
    hasHeld: false,
  };
  return { ...state, turn, nextTurn: state.nextTurn + 1 };
}

export function onSpeech(state: TurnState, nowMs: number): TurnStep {
  const { turn } = state;
  if (!turn) return [state];
  const speaking: TurnState = {
    ...state,
    user: { phase: 'speaking' },
    turn: { ...turn, isFinal: false },
  };
  const calm: TurnEffect[] =
    state.user.phase === 'paused'
      ? [
          { type: 'cancel-timer', timer: 'commit' },
          { type: 'cancel-timer', timer: 'late-transcript' },
          { type: 'drop-prepared' },
        ]
      : [];
  return andThen([speaking, ...calm], (next) => holdAgent(next, nowMs));
}

export function onPause(state: TurnState, zeroMs: number): TurnStep {
  if (!state.turn) return [state];
  const dueMs = zeroMs + state.settings.maxEndpointingMs;
  return [
    {
      ...state,
      user: { phase: 'paused', zeroMs, dueMs, isDue: false, probability: undefined },
    },
    { type: 'judge-turn', zeroMs },
    { type: 'finalise-transcript', zeroMs },
    { type: 'start-timer', timer: 'commit', atMs: dueMs },
  ];
}

export function onStop(state: TurnState, zeroMs: number): TurnStep {
  // The segmenter pauses before it stops; one that did not is treated as both.
  return state.user.phase === 'speaking' ? onPause(state, zeroMs) : [state];
}

export function onCompleteness(state: TurnState, zeroMs: number, probability: number): TurnStep {
  const { user } = state;
  if (user.phase !== 'paused' || user.zeroMs !== zeroMs || user.isDue) return [state];
  const dueMs = zeroMs + commitDelayMs(probability, state.settings);
  return andThen(
    [
      { ...state, user: { ...user, dueMs, probability } },
      { type: 'start-timer', timer: 'commit', atMs: dueMs },
    ],
    prepareReply,
  );
}

export function onTranscript(
  state: TurnState,
  text: string,
  zeroMs: number | undefined,
  nowMs: number,
): TurnStep {
  const { turn, user, settings } = state;
  if (!turn) return [state];
  const isFinal = zeroMs !== undefined && user.phase === 'paused' && user.zeroMs === zeroMs;
  if (turn.isFinal && !isFinal) return [state]; // an interim that comes after its final
  const before = wordsOf(turn.text, settings.language).length;
  const next: TurnState = {
    ...state,
    turn: { ...turn, text, isFinal, hasTranscript: true },
  };
  const grew = wordsOf(text, settings.language).length > before;
  const step = andThen([next], (s) => weighInterruption(s, grew, isFinal, nowMs));
  if (!isFinal) return step;
  return andThen(step, (s) =>
    s.user.phase === 'paused' && s.user.isDue ? commit(s) : prepareReply(s),
  );
}

function prepareReply(state: TurnState): TurnStep {
  const { turn, user } = state;
  const isReady =
    turn?.isFinal &&
    user.phase === 'paused' &&
    (user.probability ?? 0) >= LIKELY_COMPLETE &&
    state.agent.phase === 'idle' &&
    wordsOf(turn.text, state.settings.language).length > 0;
  if (!isReady) return [state];
  const text = wholeText(state, turn.text);
  const replaces = state.unanswered !== undefined;
  return [state, { type: 'prepare-reply', text, utterance: state.nextUtterance, replaces }];
}

export function onTimer(state: TurnState, timer: TurnTimer, nowMs: number): TurnStep {
  if (timer === 'false-interruption') return onFalseInterruption(state, nowMs);
  const { user, turn } = state;
  if (user.phase !== 'paused' || !turn) return [state];
  if (timer === 'late-transcript' || turn.isFinal) return commit(state);
  return [
    { ...state, user: { ...user, isDue: true } },
    { type: 'start-timer', timer: 'late-transcript', atMs: nowMs + LATE_TRANSCRIPT_MS },
  ];
}

/** The turn is over: it is answered, waits for protected speech to end, or is dropped. */
function commit(state: TurnState): TurnStep {
  const { turn, agent, settings } = state;
  if (!turn) return [state];
  const quiet: TurnState = { ...state, user: { phase: 'silent' }, turn: undefined };
  const timers: TurnEffect[] = [
    { type: 'cancel-timer', timer: 'commit' },
    { type: 'cancel-timer', timer: 'late-transcript' },
  ];
  const hasWords = wordsOf(turn.text, settings.language).length > 0;
  const isBusy = agent.phase !== 'idle';
  if (!hasWords || (isBusy && isBackchannel(turn.text, settings.language))) {
    const why = hasWords ? 'backchannel' : 'no-words';
    const dropped: TurnStep = [
      quiet,
      ...timers,
      { type: 'drop-prepared' },
      { type: 'drop-turn', turn: turn.index, why },
    ];
    return andThen(andThen(dropped, resume), answerWaiting);
  }
  if (isBusy) {
    const merged = state.waitingTurn;
    const kept: TurnEffect = { type: 'keep-turn', turn: turn.index, merged };
    return andThen([waitForFloor(quiet, turn.index, turn.text), ...timers, kept], resume);
  }
  const spoken =
    state.user.phase === 'paused'
      ? { startMs: turn.startMs, zeroMs: state.user.zeroMs, dueMs: state.user.dueMs }
      : undefined;
  return andThen([quiet, ...timers], (s) => answer(s, turn.index, turn.text, spoken));
}
