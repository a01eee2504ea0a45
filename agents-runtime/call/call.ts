import type { SpeechEdge } from '../../media/vad/segmenter.js';
import { VAD_WINDOW } from '../../media/vad/voice-activity.js';
import type { HistoryItem } from '../agent/reply-model.js';
import { Inbound } from '../audio/inbound.js';
import { Playout, type Spoken } from '../audio/playout.js';
import { Transcriber, type Transcript } from '../audio/transcriber.js';
import type { Timer } from '../clock.js';
import { type TurnAction, TurnTaker } from '../turn/turn-taker.js';
import type { EndedReason } from './call-log.js';
import type { CallParts } from './call-parts.js';
import { Conversation } from './conversation.js';
import { Replies } from './replies.js';
import { Transcripts } from './transcripts.js';
import type { CallEvent, CallInput } from './transport.js';
import { type TurnMarks, turnLatency } from './turn-latency.js';

/** Audio before the first speech of a turn that the turn model hears: 500 ms. */
const PRE_ROLL = 8_000;
/** Silence after the last sample of speech that it hears: 200 ms. */
const TAIL = 3_200;
/** A broken wire may come back for this long. */
const RESUME_MS = 10_000;

/** Tells the client why, before the call ends. */
const NO_CREDITS: CallEvent = {
  type: 'error',
  code: 'INSUFFICIENT_CREDITS',
  message: 'The account has no credits left, so the call ends.',
};

/** What the call remembers of the utterance that is being said. */
interface Saying {
  readonly utterance: number;
  readonly turn: number;
  readonly marks: TurnMarks | undefined;
  startMs: number;
  audibleAt: number | undefined;
}

/** One conversation: owns its parts, carries out what the turn-taker decides, closes everything at its end. */
export class Call implements CallInput {
  readonly #parts: CallParts;
  readonly #startedAt: number;
  readonly #inbound: Inbound;
  readonly #transcriber: Transcriber;
  readonly #playout: Playout;
  readonly #replies: Replies;
  readonly #turns: TurnTaker;
  readonly #conversation: Conversation;
  readonly #transcripts: Transcripts;
  readonly #timers: Timer[] = [];
  #lostTimer: Timer | undefined;
  #turnStartSample = 0;
  #zeroSample = 0;
  #saying: Saying | undefined;
  #isConnected = false;
  #endedReason: EndedReason | undefined;

  constructor(parts: CallParts) {
    this.#parts = parts;
    const { config, clock, transport, voiceActivity, recogniser } = parts;
    this.#startedAt = clock.now();
    this.#transcripts = new Transcripts(transport, () => this.#now());
    this.#inbound = new Inbound({
      clock,
      voiceActivity,
      segmenter: {
        threshold: config.vadActivationThreshold,
        minSpeechMs: config.minSpeechMs,
        minSilenceMs: config.minSilenceMs,
      },
      onEdge: (edge) => this.#onEdge(edge),
    });
    this.#transcriber = new Transcriber({
      recogniser,
      history: this.#inbound.history,
      clock,
      onTranscript: (transcript) => this.#onTranscript(transcript),
      onFault: (error) => parts.onFault('recogniser', error),
    });
    this.#playout = new Playout(transport, clock, {
      started: (utterance) => this.#onStarted(utterance),
      text: (utterance, text) =>
        this.#transcripts.agent(utterance, text, false, this.#saying?.startMs),
      audible: (utterance, atMs) => this.#onAudible(utterance, atMs),
      finished: (spoken) => this.#onFinished(spoken),
    });
    this.#replies = new Replies(parts, this.#playout);
    this.#conversation = new Conversation(parts.log, (error) => parts.onFault('log', error));
    this.#turns = new TurnTaker({
      settings: {
        ...config,
        language: this.#language,
      },
      clock,
      startedAt: this.#startedAt,
      act: (action) => this.#act(action),
    });
  }

  connected(): void {
    if (this.#isConnected || this.#endedReason) return;
    this.#isConnected = true;
    const { config, clock, transport, replyModel } = this.#parts;
    replyModel.prepare?.(config.prompt, this.#language);
    this.#conversation.begin();
    const limit = clock.after(config.maxCallDurationMs, () => this.hangUp('max_duration_reached'));
    this.#timers.push(limit);
    if (config.greeting.trim()) this.#turns.handle({ type: 'say', kind: 'greeting' });
    else transport.send({ type: 'state', state: 'listening' });
  }

  audio(samples: Int16Array): void {
    if (this.#isConnected && !this.#endedReason) this.#inbound.push(samples);
  }

  typed(text: string): void {
    if (!this.#endedReason) this.#turns.handle({ type: 'typed', text });
  }

  played(playedMs: number): void {
    this.#playout.played(playedMs);
  }

  lost(): void {
    if (this.#endedReason || this.#lostTimer) return;
    this.#playout.lost();
    this.#inbound.lost();
    this.#lostTimer = this.#parts.clock.after(RESUME_MS, () => this.hangUp('error_transport'));
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.#lostTimer?.cancel();
    this.#lostTimer = undefined;
    this.#inbound.regained();
    this.#playout.regained(receivedMs, announce);
  }

  hangUp(reason: EndedReason): void {
    if (this.#endedReason) return;
    this.#endedReason = reason;
    for (const timer of this.#timers) timer.cancel();
    this.#lostTimer?.cancel();
    this.#turns.close();
    this.#replies.stop();
    this.#transcriber.close();
    this.#inbound.close();
    this.#playout.close();
    void this.#finish(reason);
  }

  async #finish(reason: EndedReason): Promise<void> {
    const { log, transport, onFault, onEnded } = this.#parts;
    if (reason === 'insufficient_credits') transport.send(NO_CREDITS);
    await this.#conversation.written();
    await log.ended(reason).catch((error) => onFault('log', error));
    transport.send({ type: 'end', reason });
    transport.close();
    onEnded(reason);
  }

  #onEdge(edge: SpeechEdge): void {
    switch (edge.type) {
      case 'speech-started':
        this.#onSpeech(edge.startSample);
        return;
      case 'speech-resumed':
        // The turn may have been committed by the clock before the segment was over.
        if (!this.#turns.state.turn) {
          this.#onSpeech(edge.atSample - VAD_WINDOW);
          return;
        }
        this.#transcriber.speech(edge.atSample);
        this.#turns.handle({ type: edge.type });
        return;
      case 'pause':
        this.#zeroSample = edge.zeroSample;
        this.#turns.handle({ type: 'speech-paused', zeroMs: this.#callMs(edge.zeroSample) });
        return;
      case 'speech-stopped':
        if (edge.zeroSample !== this.#zeroSample) this.#zeroSample = edge.zeroSample;
        this.#turns.handle({ type: edge.type, zeroMs: this.#callMs(edge.zeroSample) });
    }
  }

  #onSpeech(startSample: number): void {
    if (!this.#turns.state.turn) this.#turnStartSample = startSample;
    this.#transcriber.speech(startSample);
    this.#turns.handle({ type: 'speech-started', startMs: this.#callMs(startSample) });
  }

  #onTranscript({ text, zeroSample }: Transcript): void {
    const { user, turn } = this.#turns.state;
    if (!turn) return;
    this.#transcripts.interim(turn.index, text, turn.startMs);
    const isNewest = zeroSample === this.#zeroSample && user.phase === 'paused';
    this.#turns.handle({ type: 'transcript', text, zeroMs: isNewest ? user.zeroMs : undefined });
  }

  #act(action: TurnAction): void {
    switch (action.type) {
      case 'judge-turn':
        void this.#judge(action.zeroMs);
        return;
      case 'finalise-transcript':
        this.#transcriber.finalise(this.#zeroSample);
        return;
      case 'prepare-reply':
        this.#replies.prepare(action.utterance, action.text, this.#historyBefore(action));
        return;
      case 'drop-prepared':
        this.#replies.dropPrepared();
        return;
      case 'commit-turn':
        this.#commit(action);
        return;
      case 'drop-turn':
        if (!this.#turns.state.turn) this.#transcriber.reset();
        this.#transcripts.takeBack(action.turn);
        return;
      case 'keep-turn':
        this.#transcriber.reset();
        if (action.merged !== undefined) this.#transcripts.takeBack(action.merged);
        return;
      case 'leave-turn':
        this.#leave(action);
        return;
      case 'speak':
        this.#saying = this.#newSaying(action.utterance, 0, undefined);
        this.#replies.say(action.utterance, this.#parts.config.greeting);
        return;
      case 'hold-playout':
        this.#playout.hold();
        return;
      case 'resume-playout':
        this.#playout.resume();
        return;
      case 'cut-playout':
        this.#cut(action.utterance);
        return;
      case 'show':
        this.#parts.transport.send({ type: 'state', state: action.state });
    }
  }

  async #judge(zeroMs: number): Promise<void> {
    const { turnModel, onFault } = this.#parts;
    const from = Math.max(0, this.#turnStartSample - PRE_ROLL);
    const heard = this.#inbound.history.slice(from, this.#zeroSample + TAIL);
    try {
      const probability = await turnModel.completeness(heard);
      this.#turns.handle({ type: 'completeness', zeroMs, probability });
    } catch (error) {
      // The turn is then committed at its longest delay.
      onFault('turn-model', error);
    }
  }

  #commit(action: Extract<TurnAction, { type: 'commit-turn' }>): void {
    const { turn, text, utterance, spoken, replaces } = action;
    const now = this.#now();
    if (!this.#turns.state.turn) this.#transcriber.reset();
    const span = { startMs: spoken?.startMs ?? now, endMs: spoken?.zeroMs ?? now };
    this.#transcripts.final(turn, text, span, replaces);
    const before = this.#historyBefore(action);
    const marks: TurnMarks = {
      zeroAt: this.#startedAt + span.endMs,
      dueAt: this.#startedAt + (spoken ? Math.min(spoken.dueMs, now) : now),
      committedAt: this.#startedAt + now,
    };
    this.#saying = this.#newSaying(utterance, turn, marks);
    this.#replies.commit(utterance, text, before);
    this.#conversation.user(text, span, replaces);
  }

  /** The talk before a turn: without what that turn takes the place of. */
  #historyBefore({ replaces }: { readonly replaces: boolean }): readonly HistoryItem[] {
    const { history } = this.#conversation;
    return replaces && history.at(-1)?.role === 'user' ? history.slice(0, -1) : [...history];
  }

  /** What was said last and got no answer belongs to the record all the same. */
  #leave({ turn, text, startMs }: Extract<TurnAction, { type: 'leave-turn' }>): void {
    const endMs = this.#now();
    const span = { startMs: startMs ?? endMs, endMs };
    this.#transcripts.final(turn, text, span);
    this.#conversation.user(text, span, false);
  }

  #newSaying(utterance: number, turn: number, marks: TurnMarks | undefined): Saying {
    return { utterance, turn, marks, startMs: this.#now(), audibleAt: undefined };
  }

  #onStarted(utterance: number): void {
    if (this.#saying?.utterance === utterance) this.#saying.startMs = this.#now();
    this.#turns.handle({ type: 'playout-started', utterance });
  }

  #onAudible(utterance: number, atMs: number): void {
    const saying = this.#saying;
    if (saying?.utterance !== utterance) return;
    saying.audibleAt = atMs;
    saying.startMs = atMs - this.#startedAt;
    const latency = this.#latency(saying);
    if (latency) this.#parts.transport.send({ type: 'latency', ...latency });
  }

  #latency({ utterance, turn, marks, audibleAt }: Saying) {
    if (!marks || audibleAt === undefined) return undefined;
    return turnLatency(turn, { ...marks, ...this.#replies.marksOf(utterance) }, audibleAt);
  }

  #onFinished(spoken: Spoken): void {
    if (spoken.fault !== undefined) {
      this.#parts.onFault('speech', spoken.fault);
      this.#parts.transport.send({
        type: 'error',
        code: 'SPEECH_FAILED',
        message: 'The voice broke off; the rest of this answer is lost.',
      });
    }
    this.#remember(spoken);
    this.#turns.handle({ type: 'playout-finished', utterance: spoken.utterance });
  }

  #cut(utterance: number): void {
    const spoken = this.#playout.cut(utterance);
    if (spoken) this.#remember(spoken);
    this.#replies.stop();
  }

  #remember(spoken: Spoken): void {
    const saying = this.#saying;
    if (saying?.utterance !== spoken.utterance) return;
    const endMs = this.#now();
    this.#conversation.agent(spoken, { startMs: saying.startMs, endMs }, this.#latency(saying));
    this.#transcripts.agent(spoken.utterance, spoken.text, true, saying.startMs);
  }

  get #language(): string {
    const { language } = this.#parts.config.voice;
    return language === 'auto' ? 'en' : language;
  }

  #callMs(sample: number): number {
    return this.#inbound.msAt(sample) - this.#startedAt;
  }

  #now(): number {
    return this.#parts.clock.now() - this.#startedAt;
  }
}
