import { wordsOf } from '../../media/text/words.js';
import type { EndedReason } from '../contract/ended-reason.js';
import {
  type AnnouncementKind,
  TURN_TIMERS,
  type TurnEffect,
  type TurnSpan,
} from '../contract/turn-events.js';
import { cut, isProtected } from './interruption.js';
import { andThen, type TurnState, type TurnStep, type Utterance } from './turn-state.js';

/** Longest text queued during protected speech, in characters. Its beginning is dropped beyond that. */
const MAX_QUEUED_LENGTH = 4_000;

/** Answers a turn of the caller, together with the text before it that got no answer. */
export function answer(state: TurnState, turn: number, text: string, spoken?: TurnSpan): TurnStep {
  const whole = wholeText(state, text);
  const [thinking, utterance] = startUtterance(state, 'reply');
  return [
    {
      ...thinking,
      answering: whole,
      carriedText: undefined,
      queuedText: undefined,
      queuedTurn: undefined,
      // The reply's context includes the results of tools that ended in the meantime.
      pending: state.pending.filter(
        (kind) => kind !== 'reply-to-tools' && kind !== 'no-transcript',
      ),
      silence: { ...state.silence, prompts: 0 },
    },
    { type: 'publish-state', state: 'thinking' },
    ...retractExcept(turn, state.queuedTurn),
    {
      type: 'commit-turn',
      turn,
      text: whole,
      utterance: utterance.id,
      replaces: state.carriedText !== undefined,
      spoken,
    },
  ];
}

/** Queues a complete turn until protected speech has ended. It includes a turn queued before. */
export function queueTurn(state: TurnState, turn: number, text: string): TurnStep {
  const queuedText = join(state.queuedText, text).slice(-MAX_QUEUED_LENGTH);
  return [{ ...state, queuedText, queuedTurn: turn }, ...retractExcept(turn, state.queuedTurn)];
}

/** Retracts the transcripts of turns that became part of the `published` one. */
function retractExcept(
  published: number | undefined,
  ...turns: readonly (number | undefined)[]
): TurnEffect[] {
  return turns.flatMap((turn) =>
    turn === undefined || turn === published ? [] : [{ type: 'retract-transcript', turn } as const],
  );
}

export function onTyped(state: TurnState, text: string): TurnStep {
  const { agent } = state;
  const turn = state.nextTurn;
  const numbered = { ...state, nextTurn: turn + 1 };
  if (agent.phase === 'idle') return answer(numbered, turn, text);
  if (isProtected(state, agent.utterance)) return queueTurn(numbered, turn, text);
  return andThen(cut(numbered), (s) => answer(s, turn, text));
}

/** Announces a fixed text, after cutting the running utterance. `ends`: the call ends after it. */
export function announce(state: TurnState, kind: AnnouncementKind, ends?: EndedReason): TurnStep {
  return andThen(cut(state), (s) => {
    const [thinking, utterance] = startUtterance(s, kind, ends);
    const times = kind === 'prompt' ? s.silence.prompts : 0;
    return [thinking, { type: 'speak', kind, utterance: utterance.id, reason: ends, times }];
  });
}

/** Says a dictated text. The agent must be idle. */
export function dictate(state: TurnState, text: string): TurnStep {
  const [thinking, { id: utterance }] = startUtterance(state, 'dictated');
  return [
    thinking,
    { type: 'speak', kind: 'dictated', utterance, reason: undefined, times: 0, text },
  ];
}

/** Replies to the results of tools that ended after their reply was cut. The agent must be idle. */
export function replyToTools(state: TurnState): TurnStep {
  const [thinking, { id: utterance }] = startUtterance(state, 'reply');
  return [
    thinking,
    { type: 'publish-state', state: 'thinking' },
    { type: 'reply-to-tools', utterance },
  ];
}

function startUtterance(
  state: TurnState,
  kind: Utterance['kind'],
  ends?: EndedReason,
): readonly [TurnState, Utterance] {
  const utterance: Utterance = { id: state.nextUtterance, kind, ...(ends && { ends }) };
  const agent = { phase: 'thinking', utterance } as const;
  return [{ ...state, agent, nextUtterance: utterance.id + 1 }, utterance];
}

export function onPlayoutStarted(state: TurnState, id: number): TurnStep {
  const { agent } = state;
  if (agent.phase !== 'thinking' || agent.utterance.id !== id) return [state];
  return [
    { ...state, agent: { phase: 'speaking', utterance: agent.utterance }, answering: undefined },
    { type: 'publish-state', state: 'speaking' },
  ];
}

/** Playout waits for more audio: the caller hears nothing, so the agent does not count as speaking. */
export function onPlayoutStalled(state: TurnState, id: number): TurnStep {
  const { agent } = state;
  if (agent.phase !== 'speaking' || agent.utterance.id !== id) return [state];
  return [
    { ...state, agent: { phase: 'thinking', utterance: agent.utterance } },
    { type: 'publish-state', state: 'thinking' },
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
    { type: 'publish-state', state: 'listening' },
    ...end,
  ];
}

/** The call is over: stops everything and records the caller's unanswered words. */
export function close(state: TurnState): TurnStep {
  const { agent, turn, settings } = state;
  const stop: TurnEffect[] =
    agent.phase === 'idle' ? [] : [{ type: 'cut-playout', utterance: agent.utterance.id }];
  const text = join(state.queuedText, turn?.text);
  const hasWords = text !== undefined && wordsOf(text, settings.language).length > 0;
  const index = turn?.index ?? state.queuedTurn ?? state.nextTurn;
  const unanswered: TurnEffect[] = hasWords
    ? [{ type: 'record-unanswered', turn: index, text, startMs: turn?.startMs }]
    : [];
  const interim = turn?.hasTranscript ? turn.index : undefined;
  const retracted = retractExcept(hasWords ? index : undefined, state.queuedTurn, interim);
  return [
    {
      ...state,
      agent: { phase: 'idle' },
      user: { phase: 'silent' },
      turn: undefined,
      queuedText: undefined,
      queuedTurn: undefined,
      isClosed: true,
    },
    ...TURN_TIMERS.map((timer) => ({ type: 'cancel-timer', timer }) as const),
    { type: 'drop-prepared' },
    ...stop,
    ...retracted,
    ...unanswered,
  ];
}

/** A turn's text, after the text before it that got no answer. */
export function wholeText(state: TurnState, text: string): string {
  return join(join(state.carriedText, state.queuedText), text) ?? text;
}

function join(first: string | undefined, second: string): string;
function join(first: string | undefined, second: string | undefined): string | undefined;
function join(first: string | undefined, second: string | undefined): string | undefined {
  return first && second ? `${first} ${second}` : (first ?? second);
}
