import { CallLanguage } from '../agent/call-language.js';
import type { HistoryItem } from '../agent/reply-model.js';
import { within } from '../agent/within.js';
import { EchoGate } from '../audio/echo-gate.js';
import type { Timer } from '../clock.js';
import { FaultBoundary } from '../fault-boundary.js';
import { type TurnAction, TurnTaker } from '../turn/turn-taker.js';
import { AgentLeg } from './agent-leg.js';
import type { EndedReason } from './call-log.js';
import type { CallParts } from './call-parts.js';
import { CallerLeg } from './caller-leg.js';
import { Conversation, withoutLastTurn } from './conversation.js';
import { guardedParts } from './guarded-parts.js';
import { Transcripts } from './transcripts.js';
import type { AgentState, CallEvent, CallInput, SayRefusal } from './transport.js';

/** A broken wire may come back for this long. */
const RESUME_MS = 10_000;

/** The wire is closed once the call is on record, or after so long: a database that is away holds no line open. */
const RECORD_MS = 5_000;

/** Texts that wait to be said. */
const MOST_DICTATED = 5;

/** Tells the client why, before the call ends. */
const NO_CREDITS: CallEvent = {
  type: 'error',
  code: 'INSUFFICIENT_CREDITS',
  message: 'The account has no credits left, so the call ends.',
};

/** One conversation: owns its parts, carries out what the turn-taker decides, closes everything at its end. */
export class Call implements CallInput {
  readonly #parts: CallParts;
  readonly #boundary = new FaultBoundary({
    report: (error) => this.#parts.onFault('call', error),
    end: () => this.hangUp('error_transport'),
  });
  readonly #startedAt: number;
  readonly #language: CallLanguage;
  readonly #turns: TurnTaker;
  readonly #caller: CallerLeg;
  readonly #agent: AgentLeg;
  readonly #conversation: Conversation;
  readonly #transcripts: Transcripts;
  #lostTimer: Timer | undefined;
  #isConnected = false;
  #hasSound = false;
  #endedReason: EndedReason | undefined;

  constructor(unguarded: CallParts) {
    const parts = guardedParts(unguarded, this.#boundary);
    this.#parts = parts;
    const { config, clock, transport, voice, voiceFor } = parts;
    this.#language = new CallLanguage({ settings: config.voice, voice, voiceFor });
    const startedAt = clock.now();
    this.#startedAt = startedAt;
    this.#transcripts = new Transcripts(transport, () => this.#now());
    this.#conversation = new Conversation(parts.log, (error) => parts.onFault('log', error));
    this.#turns = new TurnTaker({
      settings: { ...config, language: this.#language.language },
      clock,
      startedAt,
      boundary: this.#boundary,
      act: (action) => this.#act(action),
      onClosed: () => this.#close(),
    });
    const context = {
      parts,
      boundary: this.#boundary,
      turns: this.#turns,
      transcripts: this.#transcripts,
      language: this.#language,
      startedAt,
      echoGate: transport.hasEchoCanceller
        ? undefined
        : new EchoGate(config.vadActivationThreshold),
    };
    this.#caller = new CallerLeg(context, () => this.#agent.outlook);
    this.#agent = new AgentLeg(context, this.#conversation);
  }

  connected(): void {
    this.#boundary.run(() => this.#connect());
  }

  #connect(): void {
    if (this.#isConnected || this.#endedReason) return;
    this.#isConnected = true;
    const { config, replyModel } = this.#parts;
    replyModel.prepare?.(config.prompt, this.#language.language);
    this.#conversation.begin();
    this.#turns.handle({ type: 'connected', greets: config.greeting.trim() !== '' });
  }

  audio(samples: Int16Array): void {
    this.#boundary.run(() => this.#takeAudio(samples));
  }

  #takeAudio(samples: Int16Array): void {
    if (!this.#isConnected || this.#endedReason) return;
    if (!this.#hasSound) this.#turns.handle({ type: 'sound-came' });
    this.#hasSound = true;
    this.#caller.audio(samples);
  }

  typed(text: string): void {
    if (!this.#endedReason) this.#turns.handle({ type: 'typed', text });
  }

  say(text: string): SayRefusal | undefined {
    const { agent, dictated } = this.#turns.state;
    const isEnding = agent.phase !== 'idle' && agent.utterance.ends !== undefined;
    if (this.#endedReason || isEnding) return 'ending';
    if (dictated.length >= MOST_DICTATED) return 'busy';
    this.#turns.handle({ type: 'dictated', text });
    return undefined;
  }

  played(playedMs: number): void {
    this.#boundary.run(() => this.#agent.played(playedMs));
  }

  lost(forMs = RESUME_MS): void {
    if (this.#endedReason || this.#lostTimer) return;
    this.#boundary.run(() => {
      this.#agent.lost();
      this.#caller.lost();
    });
    this.#lostTimer = this.#parts.clock.after(forMs, () => this.hangUp('error_transport'));
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.#lostTimer?.cancel();
    this.#lostTimer = undefined;
    this.#boundary.run(() => {
      this.#caller.regained();
      this.#agent.regained(receivedMs, announce);
    });
  }

  hangUp(reason: EndedReason): void {
    if (this.#endedReason) return;
    this.#endedReason = reason;
    this.#lostTimer?.cancel();
    this.#turns.close();
  }

  /** Both legs stay open until `close` has recorded what was heard last of the agent and the caller. */
  #close(): void {
    this.#caller.close();
    this.#parts.observer?.dropped(this.#caller.droppedSamples);
    this.#agent.close();
    if (this.#endedReason) this.#boundary.watch(this.#finish(this.#endedReason));
  }

  async #finish(reason: EndedReason): Promise<void> {
    const { clock, transport, onEnded } = this.#parts;
    if (reason === 'insufficient_credits') transport.send(NO_CREDITS);
    const record = this.#endRecord(reason);
    await within(record, RECORD_MS, { clock, signal: new AbortController().signal });
    transport.send({ type: 'end', reason });
    transport.close();
    await record;
    onEnded(reason);
  }

  async #endRecord(reason: EndedReason): Promise<void> {
    const { log, onFault } = this.#parts;
    try {
      await this.#conversation.end();
      await log.ended(reason);
    } catch (error) {
      onFault('log', error);
    }
  }

  #act(action: TurnAction): void {
    switch (action.type) {
      case 'judge-turn':
        this.#boundary.watch(this.#caller.judge(action.zeroMs, action.silenceMs));
        return;
      case 'finalise-transcript':
        this.#caller.finalise();
        return;
      case 'prepare-reply':
        this.#agent.prepare(action.utterance, action.text, this.#historyBefore(action));
        return;
      case 'drop-prepared':
        this.#agent.dropPrepared();
        return;
      case 'commit-turn':
        this.#commit(action);
        return;
      case 'drop-turn':
        this.#parts.observer?.turn(action.why);
        if (!this.#turns.state.turn) this.#caller.forget();
        this.#transcripts.takeBack(action.turn);
        return;
      case 'keep-turn':
        this.#caller.forget();
        return;
      case 'retract-transcript':
        this.#transcripts.takeBack(action.turn);
        return;
      case 'leave-turn':
        this.#leave(action);
        return;
      case 'speak':
        this.#agent.say(action);
        return;
      case 'report':
        this.#agent.report(action.utterance);
        return;
      case 'warn-model':
        this.#agent.warnModel();
        return;
      case 'hang-up':
        this.hangUp(action.reason);
        return;
      case 'hold-playout':
        this.#agent.hold();
        return;
      case 'resume-playout':
        this.#agent.resume();
        return;
      case 'cut-playout':
        this.#parts.observer?.turn('cut');
        this.#agent.cut(action.utterance);
        return;
      case 'show':
        this.#show(action.state);
    }
  }

  #show(state: AgentState): void {
    this.#parts.transport.send({ type: 'state', state });
    this.#parts.observer?.state(state);
  }

  #commit(action: Extract<TurnAction, { type: 'commit-turn' }>): void {
    const { turn, text, utterance, spoken, replaces } = action;
    this.#parts.observer?.turn('answered');
    const now = this.#now();
    const recognisers = spoken ? this.#caller.recognisers : [];
    if (!this.#turns.state.turn) this.#caller.forget();
    const span = { startMs: spoken?.startMs ?? now, endMs: spoken?.zeroMs ?? now };
    this.#transcripts.final(turn, text, span, replaces);
    const before = this.#historyBefore(action);
    const marks = {
      zeroAt: this.#startedAt + span.endMs,
      dueAt: this.#startedAt + (spoken ? Math.min(spoken.dueMs, now) : now),
      committedAt: this.#startedAt + now,
    };
    this.#agent.answer(utterance, { turn, text, marks, before });
    this.#conversation.user(text, span, { replaces, recognisers });
  }

  /** The talk before a turn: without what that turn takes the place of. */
  #historyBefore({ replaces }: { readonly replaces: boolean }): readonly HistoryItem[] {
    const { history } = this.#conversation;
    return replaces ? withoutLastTurn(history) : [...history];
  }

  /** What was said last and got no answer belongs to the record all the same. */
  #leave({ turn, text, startMs }: Extract<TurnAction, { type: 'leave-turn' }>): void {
    this.#parts.observer?.turn('unanswered');
    const endMs = this.#now();
    const span = { startMs: startMs ?? endMs, endMs };
    this.#transcripts.final(turn, text, span);
    const recognisers = startMs === undefined ? [] : this.#caller.recognisers;
    this.#conversation.user(text, span, { replaces: false, recognisers });
  }

  #now(): number {
    return this.#parts.clock.now() - this.#startedAt;
  }
}
