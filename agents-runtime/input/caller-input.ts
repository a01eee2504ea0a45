import type { SpeechEdge } from '../../media/vad/segmenter.js';
import { VAD_WINDOW } from '../../media/vad/voice-activity.js';
import type { SpokenOver } from '../contract/turn-events.js';
import type { CallLanguage } from '../session/call-language.js';
import type { EffectRunner } from '../session/effect-runner.js';
import type { GuardedDependencies } from '../session/guarded-dependencies.js';
import type { TranscriptPublisher } from '../session/transcript-publisher.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { wordsOf } from '../turn/backchannels.js';
import { AudioInput } from './audio-input.js';
import {
  BatchTranscriber,
  type BatchTranscriberOptions,
  type Transcript,
} from './batch-transcriber.js';
import type { EchoGate } from './echo-gate.js';
import { StreamingTranscriber } from './streaming-transcriber.js';

/** Audio before the first speech of a turn that the turn model hears: 500 ms. */
const PRE_ROLL = 8_000;
const RATE = 16_000;

/** Words from which on a language that was heard counts. */
const LANGUAGE_WORDS = 2;

/** What both legs of a call share. */
export interface LegContext {
  /** Within the call's fault boundary. */
  readonly parts: GuardedDependencies;
  readonly boundary: FaultBoundary;
  readonly turns: EffectRunner;
  readonly transcripts: TranscriptPublisher;
  readonly language: CallLanguage;
  /** Clock time of call time zero. */
  readonly startedAt: number;
  /** On wires that bring the agent's echo back. */
  readonly echoGate: EchoGate | undefined;
}

/** The caller's side of a call: their audio becomes events of the turn-taker. */
export class CallerInput {
  readonly #context: LegContext;
  readonly #currentPlayback: () => SpokenOver | undefined;
  readonly #inbound: AudioInput;
  readonly #transcriber: BatchTranscriber | StreamingTranscriber;
  /** Who heard the turn so far. */
  readonly #recognisedBy = new Set<string>();
  #judging = new AbortController();
  #turnStartSample = 0;
  #speechEndSample = 0;

  /** @param currentPlayback what the caller hears of the agent now. */
  constructor(context: LegContext, currentPlayback: () => SpokenOver | undefined) {
    this.#context = context;
    this.#currentPlayback = currentPlayback;
    const { config, clock, voiceActivity, noiseReduction, recogniser, onFault } = context.parts;
    const { streamingSpeechToText: live } = context.parts;
    this.#inbound = new AudioInput({
      clock,
      voiceActivity,
      segmenter: {
        threshold: config.vadActivationThreshold,
        minSpeechMs: config.minSpeechMs,
        minSilenceMs: config.minSilenceMs,
      },
      onEdge: (edge) => this.#onEdge(edge),
      noiseReduction: config.autoNoiseReduction ? noiseReduction : undefined,
      echoGate: context.echoGate,
      onNoiseFault: (error) => onFault('noise-reduction', error),
    });
    const transcriber: BatchTranscriberOptions = {
      recogniser,
      language: config.voice.language === 'auto' ? undefined : config.voice.language,
      history: this.#inbound.history,
      clock,
      boundary: context.boundary,
      onTranscript: (transcript) => this.#onTranscript(transcript),
      onFault: (error) => onFault('recogniser', error),
    };
    this.#transcriber = live
      ? new StreamingTranscriber({ ...transcriber, live })
      : new BatchTranscriber(transcriber);
  }

  get droppedSamples(): number {
    return this.#inbound.droppedSamples;
  }

  /** Recognisers that heard the newest turn. */
  get recognisers(): readonly string[] {
    return [...this.#recognisedBy];
  }

  audio(samples: Int16Array): void {
    this.#inbound.push(samples);
  }

  lost(): void {
    this.#inbound.lost();
  }

  regained(): void {
    this.#inbound.regained();
  }

  /** One last transcript up to the pause. */
  finalise(): void {
    this.#transcriber.finalise(this.#speechEndSample);
  }

  /** The turn is over; the next speech is transcribed by itself. */
  forget(): void {
    this.#transcriber.reset();
    this.#recognisedBy.clear();
  }

  /** Asks the turn model whether the pause at `speechEndMs` ends the turn. `silenceMs` of silence follow the speech. */
  async judge(speechEndMs: number, silenceMs: number): Promise<void> {
    const from = Math.max(0, this.#turnStartSample - PRE_ROLL);
    const heard = this.#inbound.history.slice(
      from,
      this.#speechEndSample + Math.round((silenceMs * RATE) / 1000),
    );
    // A question that still waits is out of date: a model that is behind is not asked ever more.
    this.#judging.abort();
    this.#judging = new AbortController();
    const probability = await this.#completeness(heard, this.#judging.signal);
    if (probability === undefined) return;
    this.#context.turns.handle({ type: 'completeness', speechEndMs, probability });
  }

  /** Undefined without an answer: the turn is then committed at its longest delay. */
  async #completeness(heard: Float32Array, signal: AbortSignal): Promise<number | undefined> {
    const { turnDetector, onFault } = this.#context.parts;
    try {
      return await turnDetector.completeness(heard, signal);
    } catch (error) {
      if (!signal.aborted) onFault('turn-model', error);
      return undefined;
    }
  }

  close(): void {
    const { boundary } = this.#context;
    this.#judging.abort();
    boundary.run(() => this.#transcriber.close());
    boundary.run(() => this.#inbound.close());
  }

  #onEdge(edge: SpeechEdge): void {
    const { turns } = this.#context;
    switch (edge.type) {
      case 'speech-started':
        this.#onSpeech(edge.startSample);
        return;
      case 'speech-resumed':
        // Whether that pause was the end is answered; other callers wait for theirs.
        this.#judging.abort();
        // The turn may have been committed by the clock before the segment was over.
        if (!turns.state.turn) {
          this.#onSpeech(edge.atSample - VAD_WINDOW);
          return;
        }
        this.#transcriber.speech(edge.atSample);
        turns.handle({ type: edge.type });
        return;
      case 'pause':
        this.#speechEndSample = edge.speechEndSample;
        turns.handle({ type: 'speech-paused', speechEndMs: this.#callMs(edge.speechEndSample) });
        return;
      case 'speech-stopped':
        if (edge.speechEndSample !== this.#speechEndSample)
          this.#speechEndSample = edge.speechEndSample;
        turns.handle({ type: edge.type, speechEndMs: this.#callMs(edge.speechEndSample) });
    }
  }

  #onSpeech(startSample: number): void {
    const { turns } = this.#context;
    if (!turns.state.turn) this.#turnStartSample = startSample;
    this.#transcriber.speech(startSample);
    const over = this.#currentPlayback();
    const startMs = this.#callMs(startSample);
    turns.handle({ type: 'speech-started', startMs, ...(over && { over }) });
  }

  #onTranscript({ text, speechEndSample, upToSample, language, recogniser }: Transcript): void {
    const { turns, transcripts } = this.#context;
    const { user, turn } = turns.state;
    if (!turn) return;
    if (text !== '') this.#recognisedBy.add(recogniser);
    this.#onDetectedLanguage(text, language);
    transcripts.interim(turn.index, text, turn.startMs);
    const isNewest = speechEndSample === this.#speechEndSample && user.phase === 'paused';
    const speechEndMs = isNewest ? user.speechEndMs : undefined;
    const upTo = upToSample === undefined ? {} : { upToMs: this.#callMs(upToSample) };
    turns.handle({ type: 'transcript', text, speechEndMs, ...upTo });
  }

  /** A word by itself is of any language. */
  #onDetectedLanguage(text: string, heard: string | undefined): void {
    const { turns, language } = this.#context;
    if (heard === undefined || wordsOf(text, heard).length < LANGUAGE_WORDS) return;
    if (language.change(heard)) turns.handle({ type: 'language', language: heard });
  }

  #callMs(sample: number): number {
    return this.#inbound.msAt(sample) - this.#context.startedAt;
  }
}
