import type { EndedReason } from '../contract/ended-reason.js';
import type { TurnEffect } from '../contract/turn-events.js';
import { answer, dictate, report, say } from './agent-turn.js';
import { wordsOf } from './backchannels.js';
import type { CallLimits, Pending, TurnState, TurnStep } from './turn-state.js';
import { andThen } from './turn-state.js';

/** Prompts before the agent ends the call or waits. Source: conversation design, silence. */
const MAX_PROMPTS = 2;
/** A noise without words holds a prompt back for so long, once. */
const NOISE_MS = 3_000;
/** So long before its end the model, and the caller, are told that the call will end. */
const WARNING_MS = 30_000;
/** A goodbye that has not been played by then is not waited for: a limit is at worst 5 s late. */
const GOODBYE_MS = 4_500;
/** The same for a goodbye of the model's own words. */
const OWN_GOODBYE_MS = 20_000;
/** The caller is told that nothing is heard of them, and so much later the call ends. */
const NO_SOUND_MS = 8_000;
const NO_SOUND_END_MS = 22_000;
/** Faults in a row that end a call. */
const MAX_VOICE_FAULTS = 2;
const MAX_REPLY_FAULTS = 3;
const MAX_HEARING_FAULTS = 3;

/** Silence, limits and faults: what keeps a call from hanging. */
export function onConnected(state: TurnState, greets: boolean, nowMs: number): TurnStep {
  const { maxCallDurationMs } = state.settings;
  const warning: TurnEffect[] =
    maxCallDurationMs > WARNING_MS
      ? [{ type: 'start-timer', timer: 'warning', atMs: nowMs + maxCallDurationMs - WARNING_MS }]
      : [];
  const begun: TurnStep = [
    withLimits(state, { isConnected: true }),
    { type: 'start-timer', timer: 'limit', atMs: nowMs + maxCallDurationMs },
    { type: 'start-timer', timer: 'no-sound', atMs: nowMs + NO_SOUND_MS },
    ...warning,
  ];
  if (greets) return andThen(begun, (s) => say(s, 'greeting'));
  return [...begun, { type: 'show', state: 'listening' }];
}

export function onLimitTimer(
  state: TurnState,
  timer: 'silence' | 'warning' | 'limit' | 'no-sound' | 'hang-up',
  nowMs: number,
): TurnStep {
  switch (timer) {
    case 'silence':
      return onSilence(state, nowMs);
    case 'warning':
      return [{ ...state, pending: [...state.pending, 'warning'] }, { type: 'warn-model' }];
    case 'limit':
      return end(state, 'max_duration_reached', nowMs);
    case 'no-sound':
      if (state.limits.hasReportedNoAudio) return end(state, 'error_no_audio_received', nowMs);
      return [
        withLimits(pend(state, 'no-sound'), { hasReportedNoAudio: true }),
        { type: 'start-timer', timer: 'no-sound', atMs: nowMs + NO_SOUND_END_MS },
      ];
    case 'hang-up': {
      const { agent } = state;
      const reason = agent.phase === 'idle' ? undefined : agent.utterance.ends;
      return reason ? [state, { type: 'hang-up', reason }] : [state];
    }
  }
}

/** Nobody has said anything for the configured time. */
function onSilence(state: TurnState, nowMs: number): TurnStep {
  const { limits, settings } = state;
  if (!isQuiet(state)) return [state];
  if (state.turn && !limits.isOverdue) {
    return [
      withLimits(state, { isOverdue: true }),
      { type: 'start-timer', timer: 'silence', atMs: nowMs + NOISE_MS },
    ];
  }
  if (limits.prompts < MAX_PROMPTS) {
    return andThen(say(state, 'prompt'), (s) => [
      withLimits(s, { prompts: limits.prompts + 1, isOverdue: false }),
    ]);
  }
  return settings.allowAgentToEndCall ? end(state, 'inactivity', nowMs) : [state];
}

/** Runs the silence timer while both are silent; noise without words is silence, too. */
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
  const { limits, settings, agent, waiting, isClosed } = state;
  if (isClosed || !limits.isConnected || settings.userSilenceTimeoutMs === 0) return false;
  return agent.phase === 'idle' && waiting === undefined && limits.tools === 0 && !hasSpoken(state);
}

function hasSpoken({ turn, settings }: TurnState): boolean {
  return turn !== undefined && wordsOf(turn.text, settings.language).length > 0;
}

/** Says or answers what has waited, as soon as the floor is free. */
export function takeTurn(state: TurnState): TurnStep {
  const { turn, agent, waiting, pending, dictated, isClosed, limits } = state;
  if (isClosed || agent.phase !== 'idle') return [state];
  const isNoise = turn?.hasTranscript && !hasSpoken(state);
  const isFree = turn === undefined || isNoise;
  const [words, ...later] = dictated;
  if (words !== undefined && isFree && limits.isConnected) {
    return dictate({ ...state, dictated: later }, words);
  }
  if (waiting !== undefined) {
    if (turn) return [state];
    return answer({ ...state, waiting: undefined }, state.waitingTurn ?? state.nextTurn, waiting);
  }
  const [next, ...rest] = pending;
  if (next === undefined || !isFree) return [state];
  const freed: TurnState = { ...state, pending: rest };
  return next === 'report' ? report(freed) : say(freed, next);
}

/** Ends the call after a goodbye; the first reason stands. */
export function end(state: TurnState, reason: EndedReason, nowMs: number): TurnStep {
  if (state.agent.phase !== 'idle' && state.agent.utterance.ends) return [state];
  return [
    ...say({ ...state, pending: [], dictated: [] }, 'goodbye', reason),
    { type: 'start-timer', timer: 'hang-up', atMs: nowMs + GOODBYE_MS },
  ];
}

/** What the agent is saying is its goodbye. */
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
    { type: 'start-timer', timer: 'hang-up', atMs: nowMs + OWN_GOODBYE_MS },
  ];
}

export function onTools(state: TurnState, step: 1 | -1, isLate: boolean): TurnStep {
  const tools = Math.max(0, state.limits.tools + step);
  return [withLimits(isLate ? pend(state, 'report') : state, { tools })];
}

export function onReplyFailed(state: TurnState, utterance: number): TurnStep {
  const replyFaults = state.limits.replyFaults + 1;
  return [withLimits(state, { replyFaults, failedReply: utterance })];
}

/** After an utterance: a voice or a model that fails time and again ends the call. */
export function judgeFaults(
  state: TurnState,
  utterance: number,
  { isFaulty, nowMs }: { readonly isFaulty: boolean; readonly nowMs: number },
): TurnStep {
  if (isFaulty) {
    const voiceFaults = state.limits.voiceFaults + 1;
    const next = withLimits(state, { voiceFaults });
    if (voiceFaults < MAX_VOICE_FAULTS) return say(next, 'apology');
    return [next, { type: 'hang-up', reason: 'error_tts' }];
  }
  const { replyFaults, failedReply } = state.limits;
  const hasFailed = failedReply === utterance;
  const next = withLimits(state, { voiceFaults: 0, replyFaults: hasFailed ? replyFaults : 0 });
  return hasFailed && replyFaults >= MAX_REPLY_FAULTS ? end(next, 'error_llm', nowMs) : [next];
}

/** A turn of which the recogniser gave nothing: the caller is asked again, but not for ever. */
export function judgeRecognition(state: TurnState, effects: readonly TurnEffect[], nowMs: number) {
  const isUnheard = effects.some(({ type, ...rest }) => 'why' in rest && rest.why === 'unheard');
  if (isUnheard) {
    const recognitionFaults = state.limits.recognitionFaults + 1;
    if (recognitionFaults >= MAX_HEARING_FAULTS) return end(state, 'error_asr', nowMs);
    return [withLimits(pend(state, 'unheard'), { recognitionFaults })] as TurnStep;
  }
  const hears = state.limits.recognitionFaults > 0 && hasSpoken(state);
  return [hears ? withLimits(state, { recognitionFaults: 0 }) : state] as TurnStep;
}

function pend(state: TurnState, what: Pending): TurnState {
  return state.pending.includes(what) ? state : { ...state, pending: [...state.pending, what] };
}

function withLimits(state: TurnState, change: Partial<CallLimits>): TurnState {
  return { ...state, limits: { ...state.limits, ...change } };
}
