import { commitDelayMs } from '../../media/endpointing/commit-delay.js';
import type {
  AgentPhase,
  SpokenTimes,
  Turn,
  TurnEffect,
  TurnEvent,
  TurnState,
  TurnStep,
  Utterance,
} from './turn-state.js';
import { isBackchannel, wordsOf } from './words.js';

/** A held playout goes on when no new word has come for this long. Source: conversation design, barge-in. */
export const FALSE_INTERRUPTION_MS = 700;
/** How long a due turn waits for its transcript. */
export const LATE_TRANSCRIPT_MS = 1500;
/** Below this probability no reply is made ahead: the turn will most likely go on. */
const LIKELY_COMPLETE = 0.5;

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
      return onCompleteness(state, event.zeroMs, event.probability);
    case 'transcript':
      return onTranscript(state, event.text, event.zeroMs, nowMs);
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

function openTurn(state: TurnState, startMs: number): TurnState {
  if (state.turn) return state;
  const turn: Turn = {
    index: state.nextTurn,
    startMs,
    text: '',
    isFinal: false,
    finalZeroMs: undefined,
    hasHeld: false,
  };
  return { ...state, turn, nextTurn: state.nextTurn + 1 };
}

function onSpeech(state: TurnState, nowMs: number): TurnStep {
  const { turn } = state;
  if (!turn) return [state];
  const speaking: TurnState = {
    ...state,
    user: { phase: 'speaking' },
    turn: { ...turn, isFinal: false, finalZeroMs: undefined },
  };
  const calm: TurnEffect[] =
    state.user.phase === 'paused'
      ? [
          { type: 'cancel-timer', timer: 'commit' },
          { type: 'cancel-timer', timer: 'late-transcript' },
          { type: 'drop-prepared' },
        ]
      : [];
  return then([speaking, ...calm], (next) => holdAgent(next, nowMs));
}

/** Speech over the agent: pauses it, or cuts it where any speech interrupts. */
function holdAgent(state: TurnState, nowMs: number): TurnStep {
  const { agent, turn } = state;
  if (!turn || turn.hasHeld) return [state];
  if (agent.phase !== 'speaking' && agent.phase !== 'thinking') return [state];
  if (isProtected(state, agent.utterance)) return [state];
  const hasSpoken = agent.phase === 'speaking';
  if (hasSpoken && state.settings.minInterruptionWords === 0) return cut(state);
  return [
    {
      ...state,
      agent: { phase: 'held', utterance: agent.utterance, hasSpoken },
      turn: { ...turn, hasHeld: true },
    },
    { type: 'hold-playout' },
    { type: 'start-timer', timer: 'false-interruption', atMs: nowMs + FALSE_INTERRUPTION_MS },
  ];
}

function onPause(state: TurnState, zeroMs: number): TurnStep {
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

function onStop(state: TurnState, zeroMs: number): TurnStep {
  // The segmenter pauses before it stops; one that did not is treated as both.
  return state.user.phase === 'speaking' ? onPause(state, zeroMs) : [state];
}

function onCompleteness(state: TurnState, zeroMs: number, probability: number): TurnStep {
  const { user } = state;
  if (user.phase !== 'paused' || user.zeroMs !== zeroMs || user.isDue) return [state];
  const dueMs = zeroMs + commitDelayMs(probability, state.settings);
  return then(
    [
      { ...state, user: { ...user, dueMs, probability } },
      { type: 'start-timer', timer: 'commit', atMs: dueMs },
    ],
    prepareReply,
  );
}

function onTranscript(
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
    turn: { ...turn, text, isFinal, finalZeroMs: isFinal ? zeroMs : turn.finalZeroMs },
  };
  const grew = wordsOf(text, settings.language).length > before;
  const step = then([next], (s) => weighInterruption(s, grew, isFinal, nowMs));
  if (!isFinal) return step;
  return then(step, (s) =>
    s.user.phase === 'paused' && s.user.isDue ? commit(s) : prepareReply(s),
  );
}

/** Words over a held or speaking agent: enough of them cut it, none let it go on. */
function weighInterruption(
  state: TurnState,
  grew: boolean,
  isFinal: boolean,
  nowMs: number,
): TurnStep {
  const { agent, turn, settings } = state;
  if (!turn || agent.phase === 'idle' || isProtected(state, agent.utterance)) return [state];
  const isSilent = agent.phase === 'thinking' || (agent.phase === 'held' && !agent.hasSpoken);
  const wanted = isSilent ? 1 : Math.max(1, settings.minInterruptionWords);
  const words = wordsOf(turn.text, settings.language).length;
  if (words >= wanted && !isBackchannel(turn.text, settings.language)) return cut(state);
  if (agent.phase !== 'held') return [state];
  if (isFinal) return resume(state);
  if (!grew) return [state];
  return [
    state,
    { type: 'start-timer', timer: 'false-interruption', atMs: nowMs + FALSE_INTERRUPTION_MS },
  ];
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
  return [state, { type: 'prepare-reply', text, utterance: state.nextUtterance }];
}

function onTimer(
  state: TurnState,
  timer: 'commit' | 'late-transcript' | 'false-interruption',
  nowMs: number,
): TurnStep {
  if (timer === 'false-interruption') return resume(state);
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
    return then(then(dropped, resume), answerWaiting);
  }
  if (isBusy) {
    const waiting = join(state.waiting, turn.text);
    return then([{ ...quiet, waiting, waitingTurn: turn.index }, ...timers], resume);
  }
  const spoken =
    state.user.phase === 'paused'
      ? { startMs: turn.startMs, zeroMs: state.user.zeroMs, dueMs: state.user.dueMs }
      : undefined;
  return then([quiet, ...timers], (s) => answer(s, turn.index, turn.text, spoken));
}

function answer(state: TurnState, turn: number, text: string, spoken?: SpokenTimes): TurnStep {
  const whole = wholeText(state, text);
  const utterance: Utterance = { id: state.nextUtterance, kind: 'reply' };
  return [
    {
      ...state,
      agent: { phase: 'thinking', utterance },
      answering: whole,
      unanswered: undefined,
      waiting: undefined,
      waitingTurn: undefined,
      nextUtterance: utterance.id + 1,
    },
    {
      type: 'commit-turn',
      turn,
      text: whole,
      utterance: utterance.id,
      replaces: state.unanswered !== undefined,
      spoken,
    },
    { type: 'show', state: 'thinking' },
  ];
}

/** Answers what was said over protected speech, unless the caller is still talking. */
function answerWaiting(state: TurnState): TurnStep {
  if (state.waiting === undefined || state.turn || state.agent.phase !== 'idle') return [state];
  return answer(
    { ...state, waiting: undefined },
    state.waitingTurn ?? state.nextTurn,
    state.waiting,
  );
}

function onTyped(state: TurnState, text: string): TurnStep {
  const { agent } = state;
  const turn = state.nextTurn;
  const numbered = { ...state, nextTurn: turn + 1 };
  if (agent.phase === 'idle') return answer(numbered, turn, text);
  if (isProtected(state, agent.utterance)) {
    return [{ ...numbered, waiting: join(state.waiting, text), waitingTurn: turn }];
  }
  return then(cut(numbered), (s) => answer(s, turn, text));
}

function say(state: TurnState, kind: 'greeting' | 'goodbye'): TurnStep {
  const start = state.agent.phase === 'idle' ? ([state] as const) : cut(state);
  return then(start, (s) => {
    const utterance: Utterance = { id: s.nextUtterance, kind };
    return [
      { ...s, agent: { phase: 'thinking', utterance }, nextUtterance: utterance.id + 1 },
      { type: 'speak', kind, utterance: utterance.id },
    ];
  });
}

function onPlayoutStarted(state: TurnState, id: number): TurnStep {
  const { agent } = state;
  if (agent.phase !== 'thinking' || agent.utterance.id !== id) return [state];
  return [
    { ...state, agent: { phase: 'speaking', utterance: agent.utterance }, answering: undefined },
    { type: 'show', state: 'speaking' },
  ];
}

function onPlayoutFinished(state: TurnState, id: number): TurnStep {
  const { agent } = state;
  if (agent.phase === 'idle' || agent.utterance.id !== id) return [state];
  return then(
    [
      { ...state, agent: { phase: 'idle' }, answering: undefined },
      { type: 'cancel-timer', timer: 'false-interruption' },
      { type: 'show', state: 'listening' },
    ],
    answerWaiting,
  );
}

function resume(state: TurnState): TurnStep {
  const { agent } = state;
  if (agent.phase !== 'held') return [state];
  const phase: AgentPhase = {
    phase: agent.hasSpoken ? 'speaking' : 'thinking',
    utterance: agent.utterance,
  };
  return [
    { ...state, agent: phase },
    { type: 'cancel-timer', timer: 'false-interruption' },
    { type: 'resume-playout' },
  ];
}

function cut(state: TurnState): TurnStep {
  const { agent } = state;
  if (agent.phase === 'idle') return [state];
  const wasSilent = agent.phase === 'thinking' || (agent.phase === 'held' && !agent.hasSpoken);
  return [
    {
      ...state,
      agent: { phase: 'idle' },
      answering: undefined,
      unanswered: wasSilent ? state.answering : undefined,
    },
    { type: 'cancel-timer', timer: 'false-interruption' },
    { type: 'cut-playout', utterance: agent.utterance.id },
    { type: 'show', state: 'listening' },
  ];
}

function close(state: TurnState): TurnStep {
  const { agent } = state;
  const stop: TurnEffect[] =
    agent.phase === 'idle' ? [] : [{ type: 'cut-playout', utterance: agent.utterance.id }];
  return [
    {
      ...state,
      agent: { phase: 'idle' },
      user: { phase: 'silent' },
      turn: undefined,
      isClosed: true,
    },
    { type: 'cancel-timer', timer: 'commit' },
    { type: 'cancel-timer', timer: 'late-transcript' },
    { type: 'cancel-timer', timer: 'false-interruption' },
    { type: 'drop-prepared' },
    ...stop,
  ];
}

function isProtected({ settings }: TurnState, { kind }: Utterance): boolean {
  if (kind === 'goodbye' || !settings.allowInterruptions) return true;
  return kind === 'greeting' && !settings.allowInterruptionsOnGreeting;
}

/** The text of a turn with what came before it and got no answer. */
function wholeText(state: TurnState, text: string): string {
  return join(join(state.unanswered, state.waiting), text) ?? text;
}

function join(first: string | undefined, second: string): string;
function join(first: string | undefined, second: string | undefined): string | undefined;
function join(first: string | undefined, second: string | undefined): string | undefined {
  return first && second ? `${first} ${second}` : (first ?? second);
}

function then(step: TurnStep, next: (state: TurnState) => TurnStep): TurnStep {
  const [state, ...effects] = step;
  const [after, ...more] = next(state);
  return [after, ...effects, ...more];
}
