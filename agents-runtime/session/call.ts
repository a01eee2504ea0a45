import type { Timer } from '../contract/clock.js';
import type { EndedReason } from '../contract/ended-reason.js';
import type { HistoryItem } from '../contract/language-model.js';
import type { CallEvent, CallInput, SayRefusal } from '../contract/transport.js';
import type { TurnEvent } from '../contract/turn-events.js';
import { CallerInput } from '../input/caller-input.js';
import { EchoGate } from '../input/echo-gate.js';
import { FaultBoundary } from '../timing/fault-boundary.js';
import { withTimeout } from '../timing/timeout.js';
import { AgentSpeech } from './agent-speech.js';
import type { CallDependencies } from './call-dependencies.js';
import { CallLanguage } from './call-language.js';
import { Conversation, withoutLastTurn } from './conversation.js';
import { type CallEffect, type EffectHandlers, EffectRunner } from './effect-runner.js';
import { type GuardedPorts, guardedPorts } from './guarded-ports.js';
import { TranscriptPublisher } from './transcript-publisher.js';

/** Default time in which a lost connection may come back, ms. */
const MAX_RESUME_MS = 10_000;

/** The transport is closed once the record is written, or after this time if the database is unreachable, ms. */
const MAX_RECORD_MS = 5_000;

/** Dictated texts in the queue. */
const MAX_DICTATED = 5;

const NO_CREDITS: CallEvent = {
  type: 'error',
  code: 'INSUFFICIENT_CREDITS',
  message: 'The account has no credits left, so the call ends.',
};

/** One call: connects its stages, carries out the effects of the turn reducer, and closes everything at the end. */
export class Call implements CallInput {
  readonly #ports: GuardedPorts;
  readonly #boundary = new FaultBoundary({
    report: (error) => this.#ports.onFault('call', error),
    end: () => this.#end('error_transport'),
  });
  readonly #startedAt: number;
  readonly #language: CallLanguage;
  readonly #runner: EffectRunner;
  readonly #caller: CallerInput;
  readonly #agent: AgentSpeech;
  readonly #conversation: Conversation;
  readonly #transcripts: TranscriptPublisher;
  readonly #handlers: EffectHandlers = {
    'judge-turn': ({ speechEndMs, silenceMs }) =>
      this.#boundary.watch(this.#caller.judge(speechEndMs, silenceMs)),
    'finalise-transcript': ({ speechEndMs }) => this.#caller.finalise(speechEndMs),
    'prepare-reply': (effect) =>
      this.#agent.prepare(effect.utterance, effect.text, this.#historyBefore(effect)),
    'drop-prepared': () => this.#agent.dropPrepared(),
    'commit-turn': (effect) => this.#commit(effect),
    'drop-turn': ({ turn, why }) => {
      this.#ports.observer?.turnOutcome(why);
      this.#caller.endTurn();
      this.#transcripts.retract(turn);
    },
    'queue-turn': () => this.#caller.endTurn(),
    'retract-transcript': ({ turn }) => this.#transcripts.retract(turn),
    'record-unanswered': (effect) => this.#recordUnanswered(effect),
    speak: (effect) => this.#agent.speak(effect),
    'reply-to-tools': ({ utterance }) => this.#agent.replyToTools(utterance),
    'note-ends-soon': () => this.#agent.noteEndsSoon(),
    'hang-up': ({ reason }) => this.#end(reason),
    'hold-playout': () => this.#agent.hold(),
    'resume-playout': () => this.#agent.resume(),
    'cut-playout': () => {
      this.#ports.observer?.turnOutcome('cut');
      this.#agent.cut();
    },
    'publish-state': ({ state }) => this.#ports.transport.send({ type: 'state', state }),
  };
  #lostTimer: Timer | undefined;
  #isConnected = false;
  #hasAudio = false;
  #endedReason: EndedReason | undefined;

  constructor(unguarded: CallDependencies) {
    const startedAt = unguarded.clock.now();
    this.#startedAt = startedAt;
    const ports = guardedPorts(unguarded, this.#boundary, startedAt);
    this.#ports = ports;
    const { config, clock, transport, voice, findVoice } = ports;
    this.#language = new CallLanguage({ settings: config.voice, voice, findVoice });
    this.#transcripts = new TranscriptPublisher(transport, () => this.#now());
    this.#conversation = new Conversation(ports.callLog, (error) => ports.onFault('log', error));
    this.#runner = new EffectRunner({
      settings: { ...config, language: this.#language.language },
      clock,
      startedAt,
      boundary: this.#boundary,
      handlers: this.#handlers,
      onEvent: ports.observer && ((event) => ports.observer?.turnEvent(event)),
      onClosed: () => this.#close(),
    });
    const dispatch = (event: TurnEvent) => this.#runner.dispatch(event);
    const echoGate = transport.hasEchoCanceller
      ? undefined
      : new EchoGate(config.vadActivationThreshold);
    const shared = { boundary: this.#boundary, startedAt, echoGate, dispatch };
    this.#caller = new CallerInput({
      ...shared,
      ports,
      config,
      isTurnOpen: () => this.#runner.state.turn !== undefined,
      currentPlayback: () => this.#agent.currentPlayback,
      onInterim: (text) => this.#onInterim(text),
      onLanguage: (detected, text) => {
        if (this.#language.changeToDetected(detected, text))
          dispatch({ type: 'language', language: detected });
      },
    });
    this.#agent = new AgentSpeech({
      ...shared,
      ports,
      conversation: this.#conversation,
      transcripts: this.#transcripts,
      language: this.#language,
    });
  }

  connected(): void {
    this.#ports.observer?.input({ type: 'connected' });
    this.#boundary.run(() => this.#connect());
  }

  #connect(): void {
    if (this.#isConnected || this.#endedReason) return;
    this.#isConnected = true;
    const { config, languageModel } = this.#ports;
    languageModel.warm?.(config.prompt, this.#language.language);
    this.#conversation.begin();
    this.#runner.dispatch({ type: 'connected', greets: config.greeting.trim() !== '' });
  }

  audio(samples: Int16Array): void {
    this.#ports.observer?.input({ type: 'audio', samples });
    this.#boundary.run(() => this.#receiveAudio(samples));
  }

  #receiveAudio(samples: Int16Array): void {
    if (!this.#isConnected || this.#endedReason) return;
    if (!this.#hasAudio) this.#runner.dispatch({ type: 'audio-started' });
    this.#hasAudio = true;
    this.#caller.audio(samples);
  }

  typed(text: string): void {
    this.#ports.observer?.input({ type: 'typed', text });
    if (!this.#endedReason) this.#runner.dispatch({ type: 'typed', text });
  }

  say(text: string): SayRefusal | undefined {
    this.#ports.observer?.input({ type: 'say', text });
    const { agent, dictated } = this.#runner.state;
    const isEnding = agent.phase !== 'idle' && agent.utterance.ends !== undefined;
    if (this.#endedReason || isEnding) return 'ending';
    if (dictated.length >= MAX_DICTATED) return 'busy';
    this.#runner.dispatch({ type: 'dictated', text });
    return undefined;
  }

  played(playedMs: number): void {
    this.#ports.observer?.input({ type: 'played', playedMs });
    this.#boundary.run(() => this.#agent.played(playedMs));
  }

  lost(forMs = MAX_RESUME_MS): void {
    this.#ports.observer?.input({ type: 'lost', forMs });
    if (this.#endedReason || this.#lostTimer) return;
    this.#boundary.run(() => {
      this.#agent.connectionLost();
      this.#caller.connectionLost();
    });
    this.#lostTimer = this.#ports.clock.after(forMs, () => this.#end('error_transport'));
  }

  regained(receivedMs: number, announcePosition: (fromMs: number) => void): void {
    const { observer } = this.#ports;
    observer?.input({ type: 'regained', receivedMs });
    this.#lostTimer?.cancel();
    this.#lostTimer = undefined;
    this.#boundary.run(() => {
      this.#caller.connectionRegained();
      this.#agent.connectionRegained(receivedMs, (fromMs) => {
        observer?.output({ type: 'announce', fromMs });
        announcePosition(fromMs);
      });
    });
  }

  hangUp(reason: EndedReason): void {
    this.#ports.observer?.input({ type: 'hang-up', reason });
    this.#end(reason);
  }

  /** Ends the call in this order: event `close`, `#close`, `#finish`, and within it `#endRecord`. */
  #end(reason: EndedReason): void {
    if (this.#endedReason) return;
    this.#endedReason = reason;
    this.#lostTimer?.cancel();
    this.#runner.close();
  }

  /** Called after the event `close`, which has recorded the last words of both sides. */
  #close(): void {
    this.#caller.close();
    this.#ports.observer?.dropped(this.#caller.droppedSamples);
    this.#agent.close();
    if (this.#endedReason) this.#boundary.watch(this.#finish(this.#endedReason));
  }

  async #finish(reason: EndedReason): Promise<void> {
    const { clock, transport, observer, onEnded } = this.#ports;
    if (reason === 'insufficient_credits') transport.send(NO_CREDITS);
    const record = this.#endRecord(reason);
    await withTimeout(record, MAX_RECORD_MS, { clock });
    transport.send({ type: 'end', reason });
    this.#boundary.run(() => this.#agent.publishRemainingPlayback());
    transport.close();
    await record;
    observer?.ended(reason);
    onEnded(reason);
  }

  async #endRecord(reason: EndedReason): Promise<void> {
    const { callLog, onFault } = this.#ports;
    try {
      await this.#conversation.end();
      await callLog.ended(reason);
    } catch (error) {
      onFault('log', error);
    }
  }

  #onInterim(text: string): void {
    const { turn } = this.#runner.state;
    if (turn) this.#transcripts.interim(turn.index, text, turn.startMs);
  }

  #commit(effect: Extract<CallEffect, { type: 'commit-turn' }>): void {
    const { turn, text, utterance, spoken, replaces } = effect;
    this.#ports.observer?.turnOutcome('answered');
    const now = this.#now();
    const recognisers = spoken ? this.#caller.recognisers : [];
    // A text typed during speech does not end the spoken turn.
    if (!this.#runner.state.turn) this.#caller.endTurn();
    const span = { startMs: spoken?.startMs ?? now, endMs: spoken?.speechEndMs ?? now };
    this.#transcripts.final(turn, text, span, replaces);
    const history = this.#historyBefore(effect);
    const timestamps = {
      speechEndAt: this.#startedAt + span.endMs,
      dueAt: this.#startedAt + (spoken ? Math.min(spoken.dueMs, now) : now),
      committedAt: this.#startedAt + now,
    };
    this.#agent.answer(utterance, { turn, text, timestamps, history });
    this.#conversation.addUserTurn(text, span, { replaces, recognisers });
  }

  /** The conversation before a turn, without the turn that it replaces. */
  #historyBefore({ replaces }: { readonly replaces: boolean }): readonly HistoryItem[] {
    const { history } = this.#conversation;
    return replaces ? withoutLastTurn(history) : [...history];
  }

  #recordUnanswered({
    turn,
    text,
    startMs,
  }: Extract<CallEffect, { type: 'record-unanswered' }>): void {
    this.#ports.observer?.turnOutcome('unanswered');
    const endMs = this.#now();
    const span = { startMs: startMs ?? endMs, endMs };
    this.#transcripts.final(turn, text, span);
    const recognisers = startMs === undefined ? [] : this.#caller.recognisers;
    this.#conversation.addUserTurn(text, span, { replaces: false, recognisers });
  }

  #now(): number {
    return this.#ports.clock.now() - this.#startedAt;
  }
}
