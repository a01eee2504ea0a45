import { wordsOf } from '../../media/text/words.js';
import { isBackchannel } from './backchannels.js';
import type { AgentPhase, Turn, TurnState, TurnStep, Utterance } from './turn-state.js';

/** A held playout resumes if no new word arrives for this long. */
const FALSE_INTERRUPTION_MS = 700;
/** Longest hold, in ms, while speech recognition has returned no result. */
const MAX_HOLD_WITHOUT_TRANSCRIPT_MS = 1500;
/** If at most this much of an utterance is left to play, a backchannel over it is an answer, ms. */
const NEARLY_OVER_MS = 1_000;
/** These utterances are never interrupted, whatever the agent's settings. */
const PROTECTED: readonly Utterance['kind'][] = ['goodbye', 'warning', 'dictated'];

/**
 * Speech over the agent: holds its playout, or cuts it if `minInterruptionWords` is 0. Noise is not classified here:
 * a hold without words resumes. Voice activity and echo are filtered before, see `input/`.
 */
export function holdAgent(state: TurnState, nowMs: number): TurnStep {
  const { agent, turn } = state;
  if (!turn || turn.hasHeld) return [state];
  if (agent.phase !== 'speaking' && agent.phase !== 'thinking') return [state];
  if (isProtected(state, agent.utterance)) return [state];
  const hasSpoken = agent.phase === 'speaking';
  if (hasSpoken && state.settings.minInterruptionWords === 0) return cut(state);
  return [
    {
      ...state,
      agent: { phase: 'held', utterance: agent.utterance, hasSpoken, sinceMs: nowMs },
      turn: { ...turn, hasHeld: true },
    },
    { type: 'hold-playout' },
    { type: 'start-timer', timer: 'false-interruption', atMs: nowMs + FALSE_INTERRUPTION_MS },
  ];
}

/** A transcript over a held or speaking agent: enough words cut it, a final without them resumes it. */
export function judgeInterruption(
  state: TurnState,
  { hasNewWords, isFinal, nowMs }: TranscriptOverAgent,
): TurnStep {
  const { agent, turn, settings } = state;
  if (!turn || agent.phase === 'idle' || isProtected(state, agent.utterance)) return [state];
  // Before its first audio, one word cuts the utterance.
  const minWords = hasSounded(agent) ? Math.max(1, settings.minInterruptionWords) : 1;
  const words = wordsOf(turn.text, settings.language).length;
  if (words >= minWords && !isBackchannelOverAgent(state, turn)) return cut(state);
  if (agent.phase !== 'held') return [state];
  if (isFinal) return resume(state);
  if (!hasNewWords) return [state];
  return [
    state,
    { type: 'start-timer', timer: 'false-interruption', atMs: nowMs + FALSE_INTERRUPTION_MS },
  ];
}

interface TranscriptOverAgent {
  /** It has more words than the transcript before. */
  readonly hasNewWords: boolean;
  readonly isFinal: boolean;
  readonly nowMs: number;
}

/**
 * Whether a turn over the agent is only a backchannel. After a question, or when the agent had nearly
 * finished, it is an answer.
 */
export function isBackchannelOverAgent(
  { settings }: TurnState,
  { text, spokenOver }: Turn,
): boolean {
  if (!isBackchannel(text, settings.language)) return false;
  return !spokenOver || (!spokenOver.isQuestion && spokenOver.remainingMs > NEARLY_OVER_MS);
}

/** No new word for a while: the agent resumes, unless a first transcript is still to be expected. */
export function onFalseInterruption(state: TurnState, nowMs: number): TurnStep {
  const { agent, turn } = state;
  if (agent.phase !== 'held') return [state];
  const untilMs = agent.sinceMs + MAX_HOLD_WITHOUT_TRANSCRIPT_MS;
  if (!turn || turn.hasTranscript || nowMs >= untilMs) return resume(state);
  return [state, { type: 'start-timer', timer: 'false-interruption', atMs: untilMs }];
}

export function resume(state: TurnState): TurnStep {
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

/**
 * Ends the agent's utterance. If none of it was audible, the caller's text that it answered becomes part of
 * the next turn.
 */
export function cut(state: TurnState): TurnStep {
  const { agent } = state;
  if (agent.phase === 'idle') return [state];
  return [
    {
      ...state,
      agent: { phase: 'idle' },
      answering: undefined,
      carriedText: hasSounded(agent) ? undefined : state.answering,
    },
    { type: 'cancel-timer', timer: 'false-interruption' },
    { type: 'cancel-timer', timer: 'hang-up' },
    { type: 'cut-playout', utterance: agent.utterance.id },
    { type: 'publish-state', state: 'listening' },
  ];
}

/** Whether speech may not interrupt the utterance. An LLM's goodbye that is held may still be cut. */
export function isProtected({ settings, agent }: TurnState, { kind, ends }: Utterance): boolean {
  if (PROTECTED.includes(kind) || !settings.allowInterruptions) return true;
  if (ends !== undefined && agent.phase !== 'held') return true;
  return kind === 'greeting' && !settings.allowInterruptionsOnGreeting;
}

function hasSounded(agent: AgentPhase): boolean {
  return agent.phase === 'speaking' || (agent.phase === 'held' && agent.hasSpoken);
}
