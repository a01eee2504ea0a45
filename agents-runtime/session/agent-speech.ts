import type { LoggedTool } from '../contract/call-log.js';
import type { HistoryItem } from '../contract/language-model.js';
import type { SpokenOver, TurnEvent } from '../contract/turn-events.js';
import type { EchoGate } from '../input/echo-gate.js';
import { Playout } from '../output/playout.js';
import type { Spoken } from '../output/utterance-playout.js';
import { withBuiltinTools } from '../reply/builtin-tools.js';
import { phraseText } from '../reply/stock-phrases.js';
import { type ExecutedTool, ToolExecutor } from '../reply/tool-executor.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { CallLanguage } from './call-language.js';
import type { Conversation } from './conversation.js';
import type { CallEffect } from './effect-runner.js';
import type { GuardedPorts } from './guarded-ports.js';
import { ReplyGenerator } from './reply-generator.js';
import type { TranscriptPublisher } from './transcript-publisher.js';
import { type TurnTimestamps, turnLatency } from './turn-latency.js';

/** Told the model when the call's time is nearly over. */
const ENDS_SOON =
  'The call ends in at most 30 seconds. Come to a close now: one short sentence, no new questions.';

/** Characters of a tool's arguments, and of its result, that the record keeps. */
const MAX_LOGGED = 4_000;
/** A model may make one up. */
const MAX_TOOL_NAME = 200;

export interface AgentSpeechOptions {
  /** Within the call's fault boundary. */
  readonly parts: GuardedPorts;
  readonly boundary: FaultBoundary;
  readonly conversation: Conversation;
  readonly transcripts: TranscriptPublisher;
  readonly language: CallLanguage;
  /** Clock time of call time zero, ms. */
  readonly startedAt: number;
  /** For transports without an echo canceller. */
  readonly echoGate: EchoGate | undefined;
  readonly dispatch: (event: TurnEvent) => void;
}

/** What the call remembers of the utterance that is being said. */
interface Saying {
  readonly utterance: number;
  readonly turn: number;
  readonly marks: TurnTimestamps | undefined;
  startMs: number;
  hasStarted: boolean;
  audibleAt: number | undefined;
}

/** The turn that a reply answers. */
export interface Answered {
  /** The turn's number, from 1. */
  readonly turn: number;
  readonly text: string;
  readonly marks: TurnTimestamps;
  /** The talk before it. */
  readonly before: readonly HistoryItem[];
}

/** The agent's side of a call: what it says is made, played and remembered as it was heard. */
export class AgentSpeech {
  readonly #context: AgentSpeechOptions;
  readonly #playout: Playout;
  readonly #tools: ToolExecutor;
  readonly #replies: ReplyGenerator;
  #saying: Saying | undefined;

  constructor(context: AgentSpeechOptions) {
    this.#context = context;
    const { parts, boundary, transcripts, dispatch, echoGate, language } = context;
    this.#playout = new Playout(
      { ...parts, boundary },
      {
        started: (utterance) => this.#onStarted(utterance),
        text: (utterance, text) => transcripts.agent(utterance, text, false, this.#saying?.startMs),
        audible: (utterance, atMs) => this.#onAudible(utterance, atMs),
        stalled: (utterance) => dispatch({ type: 'playout-stalled', utterance }),
        finished: (spoken) => this.#onFinished(spoken),
        ...(echoGate && { playing: (samples, atMs) => echoGate.played(atMs, samples) }),
      },
    );
    this.#tools = this.#newTools();
    this.#replies = new ReplyGenerator({ ...parts, language }, this.#playout, this.#tools, {
      failed: (utterance) => this.#onFailed(utterance),
      ending: (utterance, reason) => dispatch({ type: 'ending', utterance, reason }),
    });
  }

  /** What the caller hears now, and how much is left of it. */
  get currentPlayback(): SpokenOver | undefined {
    return this.#playout.currentPlayback;
  }

  /** Says something without a model. */
  say({ utterance, kind, text: dictated = '', ...how }: Extract<CallEffect, { type: 'speak' }>) {
    const { config } = this.#context.parts;
    this.#saying = this.#newSaying(utterance, 0, undefined);
    if (kind === 'dictated') {
      this.#replies.dictate(utterance, dictated);
      return;
    }
    const { language } = this.#context.language;
    const text = kind === 'greeting' ? config.greeting : phraseText({ kind, ...how }, language);
    this.#replies.say(utterance, text, kind === 'apology');
  }

  /** Tells what a tool has brought. */
  report(utterance: number): void {
    this.#saying = this.#newSaying(utterance, 0, undefined);
    this.#replies.commit(utterance, {
      text: undefined,
      before: [...this.#context.conversation.history],
    });
  }

  /** The model shall know that the call ends soon. */
  warnModel(): void {
    this.#replies.note(ENDS_SOON);
  }

  /** Makes a reply ahead of its commit. */
  prepare(utterance: number, text: string, before: readonly HistoryItem[]): void {
    this.#replies.prepare(utterance, { text, before });
  }

  /** Forgets a reply that was made ahead and not committed. */
  dropPrepared(): void {
    this.#replies.dropPrepared();
  }

  answer(utterance: number, { turn, text, marks, before }: Answered): void {
    this.#saying = this.#newSaying(utterance, turn, marks);
    this.#replies.commit(utterance, { text, before });
  }

  hold(): void {
    this.#playout.hold();
  }

  resume(): void {
    this.#playout.resume();
  }

  cut(utterance: number): void {
    const spoken = this.#playout.cut(utterance);
    if (spoken) this.#remember(spoken);
    this.#replies.stop();
  }

  /** The client's playhead, ms of the agent's audio. */
  played(playedMs: number): void {
    this.#playout.played(playedMs);
  }

  lost(): void {
    this.#playout.lost();
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.#playout.regained(receivedMs, announce);
  }

  close(): void {
    const { boundary } = this.#context;
    boundary.run(() => this.#tools.close());
    boundary.run(() => this.#replies.stop());
    boundary.run(() => this.#playout.close());
  }

  #newSaying(utterance: number, turn: number, marks: TurnTimestamps | undefined): Saying {
    const startMs = this.#now();
    return { utterance, turn, marks, startMs, hasStarted: false, audibleAt: undefined };
  }

  #onStarted(utterance: number): void {
    const saying = this.#saying;
    if (saying?.utterance === utterance && !saying.hasStarted) {
      saying.startMs = this.#now();
      saying.hasStarted = true;
    }
    this.#context.dispatch({ type: 'playout-started', utterance });
  }

  #onAudible(utterance: number, atMs: number): void {
    const saying = this.#saying;
    if (saying?.utterance !== utterance) return;
    saying.audibleAt = atMs;
    saying.startMs = atMs - this.#context.startedAt;
    const latency = this.#latency(saying);
    if (!latency) return;
    const { transport, observer } = this.#context.parts;
    transport.send({ type: 'latency', ...latency });
    observer?.latency(latency);
  }

  #latency({ utterance, turn, marks, audibleAt }: Saying) {
    if (!marks || audibleAt === undefined) return undefined;
    return turnLatency(turn, marks, this.#replies.marksOf(utterance), audibleAt);
  }

  #onFinished(spoken: Spoken): void {
    const { parts, dispatch } = this.#context;
    if (spoken.fault !== undefined) {
      parts.onFault('speech', spoken.fault);
      parts.transport.send({
        type: 'error',
        code: 'SPEECH_FAILED',
        message: 'The voice broke off; the rest of this answer is lost.',
      });
    }
    this.#remember(spoken);
    const isFaulty = spoken.fault !== undefined;
    dispatch({ type: 'playout-finished', utterance: spoken.utterance, isFaulty });
  }

  #onFailed(utterance: number): void {
    const { parts, dispatch } = this.#context;
    parts.transport.send({
      type: 'error',
      code: 'REPLY_FAILED',
      message: 'The language model did not answer; the agent apologises.',
    });
    dispatch({ type: 'reply-failed', utterance });
  }

  #newTools(): ToolExecutor {
    const { parts, dispatch, language } = this.#context;
    const change = (to: string) => {
      if (language.change(to)) dispatch({ type: 'language', language: to });
    };
    const settings = { ...parts.config, languages: language.choices, change };
    return new ToolExecutor(withBuiltinTools(parts.tools, settings), parts.clock, {
      started: () => dispatch({ type: 'tool-started' }),
      ended: (isLate) => dispatch({ type: 'tool-ended', isLate }),
      remember: (item) => this.#context.conversation.tool(item),
      ran: (tool) => this.#context.conversation.ran(this.#toLogged(tool)),
      onFault: (error) => parts.onFault('tool', error),
    });
  }

  #toLogged({ call, kind, startedAt, text, outcome }: ExecutedTool): LoggedTool {
    return {
      name: call.name.slice(0, MAX_TOOL_NAME),
      kind,
      arguments: call.arguments.slice(0, MAX_LOGGED),
      result: text.slice(0, MAX_LOGGED),
      startedMs: startedAt - this.#context.startedAt,
      durationMs: this.#context.parts.clock.now() - startedAt,
      outcome,
    };
  }

  #remember(spoken: Spoken): void {
    const saying = this.#saying;
    if (saying?.utterance !== spoken.utterance) return;
    const endMs = this.#now();
    const origin = {
      latency: this.#latency(saying),
      sources: this.#replies.sourcesOf(spoken.utterance),
      providers: this.#replies.providersOf(spoken.utterance),
    };
    this.#context.conversation.agent(spoken, { startMs: saying.startMs, endMs }, origin);
    this.#context.transcripts.agent(spoken.utterance, spoken.text, true, saying.startMs);
    this.#context.dispatch({ type: 'agent-said', text: spoken.text });
  }

  #now(): number {
    return this.#context.parts.clock.now() - this.#context.startedAt;
  }
}
