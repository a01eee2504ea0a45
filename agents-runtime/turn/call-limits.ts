import { wordsOf } from '../../media/text/words.js';
import type { EndedReason } from '../contract/ended-reason.js';
import type { TurnEffect } from '../contract/turn-events.js';
import { answer, dictate, report, say } from './agent-turn.js';
import { addPending, andThen, type TurnState, type TurnStep, withLimits } from './turn-state.js';

/** Prompts before the agent ends the call or waits. */
const MAX_PROMPTS = 2;
/** Delay of a prompt during a noise without words, once, ms. */
const NOISE_DELAY_MS = 3_000;
/** Time before the limit at which the agent announces the end of the call, ms. */
const WARNING_MS = 30_000;
/** Time limit of a goodbye, ms: the call ends at most 5 s after the limit. */
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
    withLimits(state, { isConnected: true }),
    { type: 'start-timer', timer: 'limit', atMs: nowMs + maxCallDurationMs },
    { type: 'start-timer', timer: 'no-audio', atMs: nowMs + NO_AUDIO_MS },
    ...warning,
  ];
  if (greets) return andThen(begun, (s) => say(s, 'greeting'));
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
      return [{ ...state, pending: [...state.pending, 'warning'] }, { type: 'warn-model' }];
    case 'limit':
      return endCall(state, 'max_duration_reached', nowMs);
    case 'no-audio':
      if (state.limits.hasReportedNoAudio) return endCall(state, 'error_no_audio_received', nowMs);
      return [
        withLimits(addPending(state, 'no-audio'), { hasReportedNoAudio: true }),
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
  const { limits, settings } = state;
  if (!isQuiet(state)) return [state];
  if (state.turn && !limits.isOverdue) {
    return [
      withLimits(state, { isOverdue: true }),
      { type: 'start-timer', timer: 'silence', atMs: nowMs + NOISE_DELAY_MS },
    ];
  }
  if (limits.prompts < MAX_PROMPTS) {
    return andThen(say(state, 'prompt'), (s) => [
      withLimits(s, { prompts: limits.prompts + 1, isOverdue: false }),
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
  const hasWords = hasSpoken(after);
  const state = hasWords && after.limits.prompts > 0 ? withLimits(after, { prompts: 0 }) : after;
  const isNow = isQuiet(state);
  if (isQuiet(before) === isNow) return [state, ...effects];
  if (!isNow) return [state, ...effects, { type: 'cancel-timer', timer: 'silence' }];
  const atMs = nowMs + state.settings.userSilenceTimeoutMs;
  return [
    withLimits(state, { isOverdue: false }),
    ...effects,
    { type: 'start-timer', timer: 'silence', atMs },
  ];
}

function isQuiet(state: TurnState): boolean {
  const { limits, settings, agent, queuedText, isClosed } = state;
  if (isClosed || !limits.isConnected || settings.userSilenceTimeoutMs === 0) return false;
  return (
    agent.phase === 'idle' && queuedText === undefined && limits.tools === 0 && !hasSpoken(state)
  );
}

/** Whether the turn has words so far. */
export function hasSpoken({ turn, settings }: TurnState): boolean {
  return turn !== undefined && wordsOf(turn.text, settings.language).length > 0;
}

/** Starts the next dictated, queued or pending utterance when neither side speaks. */
export function startNextUtterance(state: TurnState): TurnStep {
  const { turn, agent, queuedText, pending, dictated, isClosed, limits } = state;
  if (isClosed || agent.phase !== 'idle') return [state];
  const isNoise = turn?.hasTranscript && !hasSpoken(state);
  const isFree = turn === undefined || isNoise;
  const [words, ...later] = dictated;
  if (words !== undefined && isFree && limits.isConnected) {
    return dictate({ ...state, dictated: later }, words);
  }
  if (queuedText !== undefined) {
    if (turn) return [state];
    return answer(
      { ...state, queuedText: undefined },
      state.queuedTurn ?? state.nextTurn,
      queuedText,
    );
  }
  const [next, ...rest] = pending;
  if (next === undefined || !isFree) return [state];
  const freed: TurnState = { ...state, pending: rest };
  return next === 'report' ? report(freed) : say(freed, next);
}

/** Ends the call after a goodbye; the first reason stands. */
export function endCall(state: TurnState, reason: EndedReason, nowMs: number): TurnStep {
  if (state.agent.phase !== 'idle' && state.agent.utterance.ends) return [state];
  return [
    ...say({ ...state, pending: [], dictated: [] }, 'goodbye', reason),
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

export function onTools(state: TurnState, step: 1 | -1, isLate: boolean): TurnStep {
  const tools = Math.max(0, state.limits.tools + step);
  return [withLimits(isLate ? addPending(state, 'report') : state, { tools })];
}
