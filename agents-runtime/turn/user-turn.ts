import { wordsOf } from '../../media/text/words.js';
import type {
  CurrentPlayback,
  DropReason,
  TurnEffect,
  TurnEvent,
  TurnTimer,
} from '../contract/turn-events.js';
import { answer, queueTurn, wholeText } from './agent-turn.js';
import { commitDelayMs, doubtOf, FIRST_JUDGEMENT_MS, nextJudgementMs } from './endpointing.js';
import { expectedEntityOf } from './endpointing-cues.js';
import {
  holdAgent,
  isBackchannelOverAgent,
  judgeInterruption,
  onFalseInterruption,
  resume,
} from './interruption.js';
import { andThen, type Turn, type TurnState, type TurnStep, type UserPhase } from './turn-state.js';

/** How long a due turn waits for its final transcript, ms. */
const LATE_TRANSCRIPT_MS = 1500;
/** The same without any transcript: speech recognition may be slow. */
const FIRST_TRANSCRIPT_MS = 4_500;
/** With more doubt no reply is prepared: the turn is likely to continue. */
const MAX_PREPARE_DOUBT = 0.4;

type Paused = Extract<UserPhase, { readonly phase: 'paused' }>;

/** Cancels the timers of a pause. */
const CANCEL_PAUSE_TIMERS: readonly TurnEffect[] = [
  { type: 'cancel-timer', timer: 'commit' },
  { type: 'cancel-timer', timer: 'judge-again' },
  { type: 'cancel-timer', timer: 'late-transcript' },
];

/** Opens a turn, unless one is open. */
export function openTurn(
  state: TurnState,
  startMs: number,
  spokenOver?: CurrentPlayback,
): TurnState {
  if (state.turn) return state;
  const turn: Turn = {
    index: state.nextTurn,
    startMs,
    text: '',
    isFinal: false,
    transcribedUpToMs: Number.NEGATIVE_INFINITY,
    hasTranscript: false,
    hasHeld: false,
    spokenOver,
  };
  return { ...state, turn, nextTurn: state.nextTurn + 1 };
}

/** The caller speaks or continues: drops a prepared reply and holds the agent. */
export function onSpeech(state: TurnState, nowMs: number): TurnStep {
  const { turn } = state;
  if (!turn) return [state];
  const speaking: TurnState = {
    ...state,
    user: { phase: 'speaking' },
    turn: { ...turn, isFinal: false },
  };
  const leavePause: TurnEffect[] =
    state.user.phase === 'paused' ? [...CANCEL_PAUSE_TIMERS, { type: 'drop-prepared' }] : [];
  return andThen([speaking, ...leavePause], (next) => holdAgent(next, nowMs));
}

export function onPause(state: TurnState, speechEndMs: number): TurnStep {
  if (!state.turn) return [state];
  const dueMs = speechEndMs + commitDelayMs(1, state.settings);
  return [
    {
      ...state,
      user: {
        phase: 'paused',
        speechEndMs,
        dueMs,
        isDue: false,
        probability: undefined,
        results: 0,
        requests: 1,
      },
    },
    { type: 'judge-turn', speechEndMs, silenceMs: FIRST_JUDGEMENT_MS },
    { type: 'finalise-transcript', speechEndMs },
    { type: 'start-timer', timer: 'commit', atMs: dueMs },
  ];
}

export function onStop(state: TurnState, speechEndMs: number): TurnStep {
  // Without a pause before it, a stop counts as one.
  return state.user.phase === 'speaking' ? onPause(state, speechEndMs) : [state];
}

export function onCompleteness(
  state: TurnState,
  speechEndMs: number,
  probability: number,
  nowMs: number,
): TurnStep {
  const { user } = state;
  if (user.phase !== 'paused' || user.speechEndMs !== speechEndMs) return [state];
  // The mean, as a single high result among low ones proves little.
  const sum = (user.probability ?? 0) * user.results + probability;
  const results = user.results + 1;
  const judged = { ...user, probability: sum / results, results };
  if (user.isDue) return [{ ...state, user: judged }];
  return rescheduleCommit(state, judged, nowMs);
}

/** A question for a number, a name or the like changes the endpointing of the answer. */
export function onAgentSaid(state: TurnState, text: string): TurnStep {
  return [{ ...state, expectedEntity: expectedEntityOf(text, state.settings.language) }];
}

/** Recomputes when the turn is due, after a new transcript or result of the turn detector. */
function rescheduleCommit(state: TurnState, user: Paused, nowMs: number): TurnStep {
  const { settings, turn } = state;
  const delayMs = commitDelayMs(endDoubt(state, user), settings);
  const dueMs = user.speechEndMs + delayMs;
  const paused: Paused = { ...user, dueMs, isDue: false };
  const judgementMs = nextJudgementMs(user.requests, user.probability, delayMs);
  const judgement: TurnEffect =
    judgementMs === undefined
      ? { type: 'cancel-timer', timer: 'judge-again' }
      : { type: 'start-timer', timer: 'judge-again', atMs: user.speechEndMs + judgementMs };
  const late: TurnEffect[] = user.isDue ? [{ type: 'cancel-timer', timer: 'late-transcript' }] : [];
  const step: TurnStep = [{ ...state, user: paused }, ...late, judgement];
  if (user.isDue && turn?.isFinal && dueMs <= nowMs) return andThen(step, commit);
  return andThen(
    andThen(step, (s) => [s, { type: 'start-timer', timer: 'commit', atMs: dueMs }]),
    prepareReply,
  );
}

function endDoubt(state: TurnState, { probability }: Paused, countsInterim = false): number {
  const { turn, settings, expectedEntity } = state;
  // `wholeText` adds earlier unanswered text, which may begin a number.
  const text = turn && (countsInterim || turn.isFinal) ? wholeText(state, turn.text) : undefined;
  return doubtOf({ probability, text, language: settings.language, expectedEntity });
}

export function onTranscript(
  state: TurnState,
  { text, speechEndMs, upToMs }: Extract<TurnEvent, { type: 'transcript' }>,
  nowMs: number,
): TurnStep {
  const { turn, user, settings } = state;
  if (!turn) return [state];
  const isFinal =
    speechEndMs !== undefined && user.phase === 'paused' && user.speechEndMs === speechEndMs;
  if (turn.isFinal && !isFinal) return [state]; // an interim that comes after its final
  const before = wordsOf(turn.text, settings.language).length;
  const next: TurnState = {
    ...state,
    turn: {
      ...turn,
      text,
      isFinal,
      transcribedUpToMs: upToMs ?? turn.transcribedUpToMs,
      hasTranscript: true,
    },
  };
  const hasNewWords = wordsOf(text, settings.language).length > before;
  const step = judgeInterruption(next, { hasNewWords, isFinal, nowMs });
  if (!isFinal) return step;
  return andThen(step, (s) =>
    s.user.phase === 'paused' ? rescheduleCommit(s, s.user, nowMs) : [s],
  );
}

/** Prepares a reply to a final transcript, or to an interim of all speech up to the pause. */
function prepareReply(state: TurnState): TurnStep {
  const { turn, user } = state;
  const isReady =
    turn &&
    user.phase === 'paused' &&
    (turn.isFinal || turn.transcribedUpToMs >= user.speechEndMs) &&
    endDoubt(state, user, true) <= MAX_PREPARE_DOUBT &&
    state.agent.phase === 'idle' &&
    wordsOf(turn.text, state.settings.language).length > 0;
  if (!isReady) return [state];
  const text = wholeText(state, turn.text);
  const replaces = state.carriedText !== undefined;
  return [state, { type: 'prepare-reply', text, utterance: state.nextUtterance, replaces }];
}

export function onTimer(state: TurnState, timer: TurnTimer, nowMs: number): TurnStep {
  if (timer === 'false-interruption') return onFalseInterruption(state, nowMs);
  const { user, turn } = state;
  if (user.phase !== 'paused' || !turn) return [state];
  if (timer === 'judge-again') return judgeAgain(state, user, nowMs);
  if (timer === 'late-transcript' || turn.isFinal) return commit(state);
  const atMs = nowMs + (turn.hasTranscript ? LATE_TRANSCRIPT_MS : FIRST_TRANSCRIPT_MS);
  return [
    { ...state, user: { ...user, isDue: true } },
    { type: 'start-timer', timer: 'late-transcript', atMs },
  ];
}

function judgeAgain(state: TurnState, user: Paused, nowMs: number): TurnStep {
  const { speechEndMs } = user;
  const silenceMs = Math.max(0, nowMs - speechEndMs);
  return [
    { ...state, user: { ...user, requests: user.requests + 1 } },
    { type: 'judge-turn', speechEndMs, silenceMs },
  ];
}

/** The turn is over: answers it, queues it during protected speech, or drops it. */
function commit(state: TurnState): TurnStep {
  const { turn, agent, settings } = state;
  if (!turn) return [state];
  const committed: TurnState = { ...state, user: { phase: 'silent' }, turn: undefined };
  const hasWords = wordsOf(turn.text, settings.language).length > 0;
  const isBusy = agent.phase !== 'idle';
  const isBackchannelOnly =
    (isBusy || turn.spokenOver !== undefined) && isBackchannelOverAgent(state, turn);
  if (!hasWords || isBackchannelOnly) {
    const why: DropReason = hasWords
      ? 'backchannel'
      : turn.hasTranscript
        ? 'no-words'
        : 'no-transcript';
    const dropped: TurnStep = [
      committed,
      ...CANCEL_PAUSE_TIMERS,
      { type: 'drop-prepared' },
      { type: 'drop-turn', turn: turn.index, why },
    ];
    return andThen(dropped, resume);
  }
  if (isBusy) {
    const queued: TurnEffect = { type: 'queue-turn', turn: turn.index };
    return andThen(
      [...queueTurn(committed, turn.index, turn.text), ...CANCEL_PAUSE_TIMERS, queued],
      resume,
    );
  }
  const spoken =
    state.user.phase === 'paused'
      ? { startMs: turn.startMs, speechEndMs: state.user.speechEndMs, dueMs: state.user.dueMs }
      : undefined;
  return andThen([committed, ...CANCEL_PAUSE_TIMERS], (s) =>
    answer(s, turn.index, turn.text, spoken),
  );
}
