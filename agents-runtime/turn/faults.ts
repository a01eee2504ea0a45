import type { TurnEffect } from '../contract/turn-events.js';
import { announce } from './agent-turn.js';
import { endCall, turnHasWords } from './call-limits.js';
import { addPending, type FaultCounts, type TurnState, type TurnStep } from './turn-state.js';

/** Consecutive faults that end a call. */
const MAX_VOICE_FAULTS = 2;
const MAX_REPLY_FAULTS = 3;
const MAX_RECOGNITION_FAULTS = 3;

/** All LLMs failed; the utterance says so. */
export function onReplyFailed(state: TurnState, utterance: number): TurnStep {
  const reply = state.faults.reply + 1;
  return [withFaults(state, { reply, failedReply: utterance })];
}

/** After an utterance: ends the call if the voice or the LLM failed repeatedly. */
export function afterUtterance(
  state: TurnState,
  utterance: number,
  { isFaulty, nowMs }: { readonly isFaulty: boolean; readonly nowMs: number },
): TurnStep {
  if (isFaulty) {
    const voice = state.faults.voice + 1;
    const next = withFaults(state, { voice });
    if (voice < MAX_VOICE_FAULTS) return announce(next, 'voice-apology');
    return [next, { type: 'hang-up', reason: 'error_tts' }];
  }
  const { reply, failedReply } = state.faults;
  const hasFailed = failedReply === utterance;
  const next = withFaults(state, { voice: 0, reply: hasFailed ? reply : 0 });
  return hasFailed && reply >= MAX_REPLY_FAULTS ? endCall(next, 'error_llm', nowMs) : [next];
}

/**
 * A turn without a result of speech recognition: asks the caller to repeat, or ends the call. Runs after every
 * event.
 */
export function countRecognitionFaults(
  state: TurnState,
  effects: readonly TurnEffect[],
  nowMs: number,
): TurnStep {
  const isMissing = effects.some((e) => e.type === 'drop-turn' && e.why === 'no-transcript');
  if (isMissing) {
    const recognition = state.faults.recognition + 1;
    if (recognition >= MAX_RECOGNITION_FAULTS) return endCall(state, 'error_asr', nowMs);
    return [withFaults(addPending(state, 'no-transcript'), { recognition })];
  }
  const isRecovered = state.faults.recognition > 0 && turnHasWords(state);
  return [isRecovered ? withFaults(state, { recognition: 0 }) : state];
}

function withFaults(state: TurnState, change: Partial<FaultCounts>): TurnState {
  return { ...state, faults: { ...state.faults, ...change } };
}
