import { wordsOf } from '../../media/text/words.js';
import type { EndedReason } from '../contract/ended-reason.js';
import type { TurnEffect } from '../contract/turn-events.js';
import { announce, answer, dictate, replyToTools } from './agent-turn.js';
import { addPending, andThen, type TurnState, type TurnStep, withSilence } from './turn-state.js';

/** Prompts before the agent ends the call or, if it may not end it, waits. */
const MAX_PROMPTS = 2;
/** Delay of a prompt during a noise without words, once, ms. */
const NOISE_DELAY_MS = 3_000;
/** Time before the limit at which the agent announces the end of the call, ms. */
const WARNING_MS = 30_000;
/** Time limit of a goodbye, ms: the call ends at most 5 s after its maximum duration. */
const GOODBYE_TIMEOUT_MS = 4_500;
/** Time limit of a goodbye of the LLM, ms. */
const LLM_GOODBYE_TIMEOUT_MS = 20_000;
/** Time without audio of the caller before the agent says so, and then before the call ends, ms. */
const NO_AUDIO_MS = 8_000;
const NO_AUDIO_END_MS = 22_000;

export function onConnected(state: TurnState, greets: boolean, nowMs: number): TurnStep {
  const { maxCallDurationMs } = state.settings;
  const warning: TurnEffect[] =
    maxCallDurationMs > WARNING_MS
      ? [{ type: 'start-timer', timer: 'warning', atMs: nowMs + maxCallDurationMs - WARNING_MS }]
      : [];
  const begun: TurnStep = [
    withSilence(state, { isConnected: true }),
    { type: 'start-timer', timer: 'limit', atMs: nowMs + maxCallDurationMs },
    { type: 'start-timer', timer: 'no-audio', atMs: nowMs + NO_AUDIO_MS },
    ...warning,
  ];
  if (greets) return andThen(begun, (s) => announce(s, 'greeting'));
  return [...begun, { type: 'publish-state', state: 'listening' }];
}

export function onLimitTimer(
  state: TurnState,
  timer: 'silence' | 'warning' | 'limit' | 'no-audio' | 'hang-up',
  nowMs: number,
): TurnStep {
  switch (timer) {
    case 'silence':
      return onSilence(state, nowMs);
    case 'warning':
      return [{ ...state, pending: [...state.pending, 'warning'] }, { type: 'note-ends-soon' }];
    case 'limit':
      return endCall(state, 'max_duration_reached', nowMs);
    case 'no-audio':
      if (state.silence.hasReportedNoAudio) return endCall(state, 'error_no_audio_received', nowMs);
      return [
        withSilence(addPending(state, 'no-audio'), { hasReportedNoAudio: true }),
        { type: 'start-timer', timer: 'no-audio', atMs: nowMs + NO_AUDIO_END_MS },
      ];
    case 'hang-up': {
      const { agent } = state;
      const reason = agent.phase === 'idle' ? undefined : agent.utterance.ends;
      return reason ? [state, { type: 'hang-up', reason }] : [state];
    }
  }
}

/** Neither side has spoken for the configured time. */
function onSilence(state: TurnState, nowMs: number): TurnStep {
  const { silence, settings } = state;
  if (!isQuiet(state)) return [state];
  if (state.turn && !silence.isPromptDelayed) {
    return [
      withSilence(state, { isPromptDelayed: true }),
      { type: 'start-timer', timer: 'silence', atMs: nowMs + NOISE_DELAY_MS },
    ];
  }
  if (silence.prompts < MAX_PROMPTS) {
    return andThen(announce(state, 'prompt'), (s) => [
      withSilence(s, { prompts: silence.prompts + 1, isPromptDelayed: false }),
    ]);
  }
  return settings.allowAgentToEndCall ? endCall(state, 'inactivity', nowMs) : [state];
}

/** Runs the silence timer while neither side speaks. Noise without words counts as silence. */
export function startSilenceTimer(
  before: TurnState,
  [after, ...effects]: TurnStep,
  nowMs: number,
): TurnStep {
  const hasWords = turnHasWords(after);
  const state = hasWords && after.silence.prompts > 0 ? withSilence(after, { prompts: 0 }) : after;
  const isQuietNow = isQuiet(state);
  if (isQuiet(before) === isQuietNow) return [state, ...effects];
  if (!isQuietNow) return [state, ...effects, { type: 'cancel-timer', timer: 'silence' }];
  const atMs = nowMs + state.settings.userSilenceTimeoutMs;
  return [
    withSilence(state, { isPromptDelayed: false }),
    ...effects,
    { type: 'start-timer', timer: 'silence', atMs },
  ];
}

function isQuiet(state: TurnState): boolean {
  const { silence, settings, agent, queuedText, isClosed } = state;
  if (isClosed || !silence.isConnected || settings.userSilenceTimeoutMs === 0) return false;
  return (
    agent.phase === 'idle' &&
    queuedText === undefined &&
    silence.runningTools === 0 &&
    !turnHasWords(state)
  );
}

/** Whether the turn has words so far. */
export function turnHasWords({ turn, settings }: TurnState): boolean {
  return turn !== undefined && wordsOf(turn.text, settings.language).length > 0;
}

/** Starts the next dictated, queued or pending utterance when neither side speaks. */
export function startNextUtterance(state: TurnState): TurnStep {
  const { turn, agent, queuedText, pending, dictated, isClosed, silence } = state;
  if (isClosed || agent.phase !== 'idle') return [state];
  const isNoise = turn?.hasTranscript && !turnHasWords(state);
  const isFree = turn === undefined || isNoise;
  const [text, ...later] = dictated;
  if (text !== undefined && isFree && silence.isConnected) {
    return dictate({ ...state, dictated: later }, text);
  }
  if (queuedText !== undefined) {
    if (turn) return [state];
    // `answer` would add it twice.
    return answer(
      { ...state, queuedText: undefined },
      state.queuedTurn ?? state.nextTurn,
      queuedText,
    );
  }
  const [next, ...rest] = pending;
  if (next === undefined || !isFree) return [state];
  const freed: TurnState = { ...state, pending: rest };
  return next === 'reply-to-tools' ? replyToTools(freed) : announce(freed, next);
}

/** Ends the call after a goodbye; the first reason stands. */
export function endCall(state: TurnState, reason: EndedReason, nowMs: number): TurnStep {
  if (state.agent.phase !== 'idle' && state.agent.utterance.ends) return [state];
  return [
    ...announce({ ...state, pending: [], dictated: [] }, 'goodbye', reason),
    { type: 'start-timer', timer: 'hang-up', atMs: nowMs + GOODBYE_TIMEOUT_MS },
  ];
}

/** The running utterance is the agent's goodbye. */
export function onEnding(
  state: TurnState,
  id: number,
  { reason, nowMs }: { readonly reason: EndedReason; readonly nowMs: number },
): TurnStep {
  const { agent } = state;
  if (agent.phase === 'idle' || agent.utterance.id !== id || agent.utterance.ends) return [state];
  const utterance = { ...agent.utterance, ends: reason };
  return [
    { ...state, agent: { ...agent, utterance }, pending: [], dictated: [] },
    { type: 'start-timer', timer: 'hang-up', atMs: nowMs + LLM_GOODBYE_TIMEOUT_MS },
  ];
}

export function onTools(state: TurnState, step: 1 | -1, isReplyCut: boolean): TurnStep {
  const runningTools = Math.max(0, state.silence.runningTools + step);
  return [withSilence(isReplyCut ? addPending(state, 'reply-to-tools') : state, { runningTools })];
}
