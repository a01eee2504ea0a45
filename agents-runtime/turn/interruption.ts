import { wordsOf } from '../../media/text/words.js';
import type { EndedReason } from '../contract/call-log.js';
import { isBackchannel } from './backchannels.js';
import type {
  AgentPhase,
  Saying,
  SpokenTimes,
  Turn,
  TurnEffect,
  TurnState,
  TurnStep,
  Utterance,
} from './turn-state.js';
import { andThen, TURN_TIMERS } from './turn-state.js';

/** A held playout goes on when no new word has come for this long. Source: conversation design, barge-in. */
const FALSE_INTERRUPTION_MS = 700;
/** … but not before the recogniser has said anything, unless it takes longer than this. */
const SILENT_RECOGNISER_MS = 1500;
/** Characters that wait for protected speech to end; of more, the oldest go. */
const MAX_WAITING = 4_000;

/** Speech over the agent: pauses it, or cuts it where any speech interrupts. */
export function pauseAgent(state: TurnState, nowMs: number): TurnStep {
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

/** Words over a held or speaking agent: enough of them cut it, none let it go on. */
export function judgeInterruption(
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
  if (words >= wanted && !isBackchannelOverAgent(state, turn)) return cut(state);
  if (agent.phase !== 'held') return [state];
  if (isFinal) return resume(state);
  if (!grew) return [state];
  return [
    state,
    { type: 'start-timer', timer: 'false-interruption', atMs: nowMs + FALSE_INTERRUPTION_MS },
  ];
}

/** So little left to be said is no reason to keep what was said over it from being an answer. */
const NEARLY_OVER_MS = 1_000;

/**
 * Whether a turn over the agent says no more than "I am listening". After a question it is the
 * answer, and so it is when the agent was about to end.
 */
export function isBackchannelOverAgent({ settings }: TurnState, { text, over }: Turn): boolean {
  if (!isBackchannel(text, settings.language)) return false;
  return !over || (!over.isQuestion && over.remainingMs > NEARLY_OVER_MS);
}

export function answer(
  state: TurnState,
  turn: number,
  text: string,
  spoken?: SpokenTimes,
): TurnStep {
  const whole = wholeText(state, text);
  const utterance: Utterance = { id: state.nextUtterance, kind: 'reply' };
  const merged = retractExcept(turn, state.waitingTurn);
  return [
    {
      ...state,
      agent: { phase: 'thinking', utterance },
      answering: whole,
      unanswered: undefined,
      waiting: undefined,
      waitingTurn: undefined,
      nextUtterance: utterance.id + 1,
      // What tools brought in the meantime is part of what the model is asked.
      pending: state.pending.filter((what) => what !== 'report' && what !== 'unheard'),
      limits: { ...state.limits, prompts: 0 },
    },
    { type: 'show', state: 'thinking' },
    ...merged,
    {
      type: 'commit-turn',
      turn,
      text: whole,
      utterance: utterance.id,
      replaces: state.unanswered !== undefined,
      spoken,
    },
  ];
}

/** Keeps a whole turn until the protected speech has ended; one that waited already becomes part of it. */
export function queueTurn(state: TurnState, turn: number, text: string): TurnStep {
  const waiting = join(state.waiting, text).slice(-MAX_WAITING);
  return [{ ...state, waiting, waitingTurn: turn }, ...retractExcept(turn, state.waitingTurn)];
}

/** Of several turns that became one, the client shall show only that one. */
function retractExcept(
  shown: number | undefined,
  ...turns: readonly (number | undefined)[]
): TurnEffect[] {
  return turns.flatMap((turn) =>
    turn === undefined || turn === shown ? [] : [{ type: 'retract-transcript', turn } as const],
  );
}

export function onTyped(state: TurnState, text: string): TurnStep {
  const { agent } = state;
  const turn = state.nextTurn;
  const numbered = { ...state, nextTurn: turn + 1 };
  if (agent.phase === 'idle') return answer(numbered, turn, text);
  if (isProtected(state, agent.utterance)) {
    return queueTurn(numbered, turn, text);
  }
  return andThen(cut(numbered), (s) => answer(s, turn, text));
}

/** Says something of the agent's own; `ends` makes it the last of the call. */
export function say(state: TurnState, kind: Saying, ends?: EndedReason): TurnStep {
  const start = state.agent.phase === 'idle' ? ([state] as const) : cut(state);
  return andThen(start, (s) => {
    const utterance: Utterance = { id: s.nextUtterance, kind, ...(ends && { ends }) };
    const times = kind === 'prompt' ? s.limits.prompts : 0;
    return [
      { ...s, agent: { phase: 'thinking', utterance }, nextUtterance: utterance.id + 1 },
      { type: 'speak', kind, utterance: utterance.id, reason: ends, times },
    ];
  });
}

/** Says what somebody else wants said; only where the floor is free. */
export function dictate(state: TurnState, text: string): TurnStep {
  const utterance: Utterance = { id: state.nextUtterance, kind: 'dictated' };
  return [
    { ...state, agent: { phase: 'thinking', utterance }, nextUtterance: utterance.id + 1 },
    {
      type: 'speak',
      kind: 'dictated',
      utterance: utterance.id,
      reason: undefined,
      times: 0,
      text,
    },
  ];
}

export function onPlayoutStarted(state: TurnState, id: number): TurnStep {
  const { agent } = state;
  if (agent.phase !== 'thinking' || agent.utterance.id !== id) return [state];
  return [
    { ...state, agent: { phase: 'speaking', utterance: agent.utterance }, answering: undefined },
    { type: 'show', state: 'speaking' },
  ];
}

/** It waits for more: the caller hears nothing, so it does not count as speaking. */
export function onPlayoutStalled(state: TurnState, id: number): TurnStep {
  const { agent } = state;
  if (agent.phase !== 'speaking' || agent.utterance.id !== id) return [state];
  return [
    { ...state, agent: { phase: 'thinking', utterance: agent.utterance } },
    { type: 'show', state: 'thinking' },
  ];
}

export function onPlayoutFinished(state: TurnState, id: number): TurnStep {
  const { agent } = state;
  if (agent.phase === 'idle' || agent.utterance.id !== id) return [state];
  const { ends } = agent.utterance;
  const end: TurnEffect[] = ends ? [{ type: 'hang-up', reason: ends }] : [];
  return [
    { ...state, agent: { phase: 'idle' }, answering: undefined },
    { type: 'cancel-timer', timer: 'false-interruption' },
    { type: 'show', state: 'listening' },
    ...end,
  ];
}

/** No new word for a while: the agent goes on, unless the recogniser has had no time to hear one. */
export function onFalseInterruption(state: TurnState, nowMs: number): TurnStep {
  const { agent, turn } = state;
  if (agent.phase !== 'held') return [state];
  const untilMs = agent.sinceMs + SILENT_RECOGNISER_MS;
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
    { type: 'cancel-timer', timer: 'hang-up' },
    { type: 'cut-playout', utterance: agent.utterance.id },
    { type: 'show', state: 'listening' },
  ];
}

/** The call is over: everything stops, and what the caller was saying is left for the record. */
export function close(state: TurnState): TurnStep {
  const { agent, turn, settings } = state;
  const stop: TurnEffect[] =
    agent.phase === 'idle' ? [] : [{ type: 'cut-playout', utterance: agent.utterance.id }];
  const said = join(state.waiting, turn?.text);
  const isWorthIt = said !== undefined && wordsOf(said, settings.language).length > 0;
  const index = turn?.index ?? state.waitingTurn ?? state.nextTurn;
  const leave: TurnEffect[] = isWorthIt
    ? [{ type: 'record-unanswered', turn: index, text: said, startMs: turn?.startMs }]
    : [];
  const interim = turn?.hasTranscript ? turn.index : undefined;
  const merged = retractExcept(isWorthIt ? index : undefined, state.waitingTurn, interim);
  return [
    {
      ...state,
      agent: { phase: 'idle' },
      user: { phase: 'silent' },
      turn: undefined,
      waiting: undefined,
      waitingTurn: undefined,
      isClosed: true,
    },
    ...TURN_TIMERS.map((timer) => ({ type: 'cancel-timer', timer }) as const),
    { type: 'drop-prepared' },
    ...stop,
    ...merged,
    ...leave,
  ];
}

/** Said to the end, whatever the agent's settings are. */
const PROTECTED: readonly Utterance['kind'][] = ['goodbye', 'warning', 'dictated'];

/** A goodbye that the caller held up before it began is still the caller's to stop. */
function isProtected({ settings, agent }: TurnState, { kind, ends }: Utterance): boolean {
  if (PROTECTED.includes(kind) || !settings.allowInterruptions) return true;
  if (ends !== undefined && agent.phase !== 'held') return true;
  return kind === 'greeting' && !settings.allowInterruptionsOnGreeting;
}

/** The text of a turn with what came before it and got no answer. */
export function wholeText(state: TurnState, text: string): string {
  return join(join(state.unanswered, state.waiting), text) ?? text;
}

function join(first: string | undefined, second: string): string;
function join(first: string | undefined, second: string | undefined): string | undefined;
function join(first: string | undefined, second: string | undefined): string | undefined {
  return first && second ? `${first} ${second}` : (first ?? second);
}
