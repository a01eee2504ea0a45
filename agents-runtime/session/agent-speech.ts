import type { LoggedTool } from '../contract/call-log.js';
import type { HistoryItem } from '../contract/language-model.js';
import type { CurrentPlayback, TurnEvent } from '../contract/turn-events.js';
import type { EchoGate } from '../input/echo-gate.js';
import type { OnPlayedAudio } from '../output/playback-timeline.js';
import { Playout } from '../output/playout.js';
import type { HeardSpeech } from '../output/utterance-playout.js';
import { withBuiltinTools } from '../reply/builtin-tools.js';
import { phraseText } from '../reply/phrase-text.js';
import { type ExecutedTool, ToolExecutor } from '../reply/tool-executor.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { CallLanguage } from './call-language.js';
import type { Conversation } from './conversation.js';
import type { CallEffect } from './effect-runner.js';
import type { GuardedPorts } from './guarded-ports.js';
import { ReplyGenerator } from './reply-generator.js';
import { type AnsweredTurn, type ReplyRequest, SpeechHandle } from './speech-handle.js';
import type { TranscriptPublisher } from './transcript-publisher.js';

/** A note for the LLM, 30 s before the end of the call. */
const ENDS_SOON =
  'The call ends in at most 30 seconds. Come to a close now: one short sentence, no new questions.';

/** Longest arguments and result of a tool in the record, in characters each. */
const MAX_LOGGED = 4_000;
/** Longest name of a tool in the record: an LLM may invent one. */
const MAX_TOOL_NAME = 200;
/** Replies generated before one turn is committed. */
const MAX_PREPARED_REPLIES = 3;

export interface AgentSpeechOptions {
  /** Within the call's fault boundary. */
  readonly ports: GuardedPorts;
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

/** The agent's side of a call: generates and plays utterances, and records what the caller heard. */
export class AgentSpeech {
  readonly #options: AgentSpeechOptions;
  readonly #playout: Playout;
  readonly #tools: ToolExecutor;
  readonly #generator: ReplyGenerator;
  #speech: SpeechHandle | undefined;
  /** Replies generated before one turn is committed. `utterance`: the number of its reply. */
  #prepared = { utterance: 0, count: 0 };

  constructor(options: AgentSpeechOptions) {
    this.#options = options;
    const { ports, boundary, dispatch, echoGate, language } = options;
    const { observer } = ports;
    const playing = observer?.has('playing') ? observer : undefined;
    const onPlaying: OnPlayedAudio = (startAt, samples) => {
      echoGate?.played(startAt, samples);
      playing?.playing(startAt, samples);
    };
    this.#playout = new Playout({
      ...ports,
      boundary,
      onPlaying,
      onPlayed: observer?.has('played')
        ? (startAt, samples) => observer.played(startAt, samples)
        : undefined,
    });
    this.#tools = this.#createTools();
    this.#generator = new ReplyGenerator({ ports, language, tools: this.#tools, dispatch });
  }

  /** The speech that the caller is listening to; undefined in silence. */
  get currentPlayback(): CurrentPlayback | undefined {
    return this.#playout.currentPlayback;
  }

  /** Says a fixed or dictated text. */
  speak({ utterance, kind, text = '', ...phrase }: Extract<CallEffect, { type: 'speak' }>): void {
    const { ports, language } = this.#options;
    const speech = this.#begin(utterance);
    if (kind === 'dictated') speech.generate(this.#generator.dictation(speech, text));
    else {
      const words =
        kind === 'greeting'
          ? ports.config.greeting
          : phraseText({ kind, ...phrase }, language.language);
      const isVoiceApology = kind === 'voice-apology';
      speech.generate(this.#generator.announcement(speech, words, { isVoiceApology }));
    }
    speech.commit();
  }

  /** Replies to the results of tools. */
  replyToTools(utterance: number): void {
    const history = [...this.#options.conversation.history];
    this.#replyTo(utterance, this.#request(undefined, history)).commit();
  }

  /** Adds a note to the LLM's requests that the call ends soon. */
  noteEndsSoon(): void {
    this.#generator.addNote(ENDS_SOON);
  }

  /** Generates a reply before its turn is committed. */
  prepare(utterance: number, text: string, history: readonly HistoryItem[]): void {
    const request = this.#request(text, history);
    if (this.#isPrepared(utterance, request)) return;
    if (this.#prepared.utterance !== utterance) this.#prepared = { utterance, count: 0 };
    if (this.#prepared.count >= MAX_PREPARED_REPLIES) {
      this.dropPrepared();
      return;
    }
    this.#prepared.count++;
    this.#replyTo(utterance, request);
  }

  /** Drops a reply that was generated before its turn was committed. */
  dropPrepared(): void {
    if (this.#speech?.state !== 'prepared') return;
    this.#speech.discard();
    this.#speech = undefined;
  }

  /** Answers a committed turn, with the prepared reply if it matches. */
  answer(
    utterance: number,
    turn: AnsweredTurn & { readonly text: string; readonly history: readonly HistoryItem[] },
  ): void {
    this.#replyTo(utterance, this.#request(turn.text, turn.history)).commit(turn);
  }

  hold(): void {
    this.#playout.hold();
  }

  resume(): void {
    this.#playout.resume();
  }

  /** Interrupts the utterance and records the part that was heard. */
  cut(): void {
    const speech = this.#speech;
    const heard = speech?.interrupt();
    if (speech && heard) this.#record(speech, heard);
  }

  /** The client's playhead, ms of the agent's audio. */
  played(playedMs: number): void {
    this.#playout.played(playedMs);
  }

  connectionLost(): void {
    this.#playout.connectionLost();
  }

  connectionRegained(receivedMs: number, announcePosition: (fromMs: number) => void): void {
    this.#playout.connectionRegained(receivedMs, announcePosition);
  }

  /** The transport closes: publishes the audio that the client may have played. */
  publishRemainingPlayback(): void {
    this.#playout.publishRemainingPlayback();
  }

  close(): void {
    const { boundary } = this.#options;
    boundary.run(() => this.#tools.close());
    boundary.run(() => this.#speech?.stop());
    boundary.run(() => this.#playout.close());
  }

  #request(text: string | undefined, history: readonly HistoryItem[]): ReplyRequest {
    return { text, history, language: this.#options.language.language };
  }

  #isPrepared(utterance: number, request: ReplyRequest): boolean {
    return this.#speech?.utterance === utterance && this.#speech.matches(request);
  }

  #replyTo(utterance: number, request: ReplyRequest): SpeechHandle {
    if (this.#speech && this.#isPrepared(utterance, request)) return this.#speech;
    const speech = this.#begin(utterance, request);
    speech.generate(this.#generator.reply(speech, request));
    return speech;
  }

  #begin(utterance: number, request?: ReplyRequest): SpeechHandle {
    this.#speech?.stop();
    const { ports, startedAt, transcripts, dispatch } = this.#options;
    this.#speech = new SpeechHandle({
      utterance,
      ...(request && { request }),
      clock: ports.clock,
      startedAt,
      playout: this.#playout,
      listener: {
        started: () => dispatch({ type: 'playout-started', utterance }),
        stalled: () => dispatch({ type: 'playout-stalled', utterance }),
        text: ({ startMs }, text) => transcripts.agentInterim(utterance, text, startMs),
        audible: ({ latency }) => {
          if (!latency) return;
          ports.transport.send({ type: 'latency', ...latency });
          ports.observer?.latency(latency);
        },
        finished: (speech, heard) => this.#onFinished(speech, heard),
      },
    });
    return this.#speech;
  }

  #onFinished(speech: SpeechHandle, heard: HeardSpeech): void {
    const { ports, dispatch } = this.#options;
    const isFaulty = heard.fault !== undefined;
    if (isFaulty) {
      ports.onFault('speech', heard.fault);
      ports.transport.send({
        type: 'error',
        code: 'SPEECH_FAILED',
        message: 'The voice broke off; the rest of this answer is lost.',
      });
    }
    this.#record(speech, heard);
    dispatch({ type: 'playout-finished', utterance: speech.utterance, isFaulty });
  }

  #record(speech: SpeechHandle, heard: HeardSpeech): void {
    const { ports, startedAt, conversation, transcripts, dispatch } = this.#options;
    const { utterance, startMs } = speech;
    const endMs = ports.clock.now() - startedAt;
    conversation.addAgentTurn(heard, { startMs, endMs }, speech);
    transcripts.agentFinal(utterance, heard.text, startMs);
    dispatch({ type: 'agent-said', text: heard.text });
  }

  #createTools(): ToolExecutor {
    const { ports, conversation, dispatch, language } = this.#options;
    const change = (to: string) => {
      if (language.change(to)) dispatch({ type: 'language', language: to });
    };
    const settings = { ...ports.config, languages: language.choices, change };
    return new ToolExecutor(withBuiltinTools(ports.tools, settings), ports.clock, {
      started: () => dispatch({ type: 'tool-started' }),
      ended: (isReplyCut) => dispatch({ type: 'tool-ended', isLate: isReplyCut }),
      remember: (item) => conversation.addToolResult(item),
      toolCallEnded: (tool) => conversation.recordTool(this.#toLogged(tool)),
      onFault: (error) => ports.onFault('tool', error),
    });
  }

  #toLogged({ call, kind, startedAt, text, status }: ExecutedTool): LoggedTool {
    return {
      name: call.name.slice(0, MAX_TOOL_NAME),
      kind,
      arguments: call.arguments.slice(0, MAX_LOGGED),
      result: text.slice(0, MAX_LOGGED),
      startedMs: startedAt - this.#options.startedAt,
      durationMs: this.#options.ports.clock.now() - startedAt,
      outcome: status,
    };
  }
}
