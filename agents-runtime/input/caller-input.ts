import { CALLER_SAMPLE_RATE } from '../../media/audio/pcm.js';
import type { NoiseReduction } from '../../media/noise/noise-reduction.js';
import type { SpeechToText, StreamingSpeechToText } from '../../media/stt/speech-to-text.js';
import type { TurnDetector } from '../../media/turn-detection/turn-detector.js';
import type { SpeechEdge } from '../../media/vad/segmenter.js';
import { VAD_WINDOW, type VoiceActivity } from '../../media/vad/voice-activity.js';
import type { AgentConfig } from '../contract/agent-config.js';
import type { Clock } from '../contract/clock.js';
import type { CallFault } from '../contract/errors.js';
import type { CurrentPlayback, TurnEvent } from '../contract/turn-events.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { AudioInput } from './audio-input.js';
import { PRE_ROLL_SAMPLES } from './audio-ring-buffer.js';
import {
  BatchTranscriber,
  type BatchTranscriberOptions,
  type Transcript,
} from './batch-transcriber.js';
import type { EchoGate } from './echo-gate.js';
import { StreamingTranscriber } from './streaming-transcriber.js';

/** The engines that process the caller's audio. */
interface CallerInputPorts {
  readonly clock: Clock;
  readonly voiceActivity: VoiceActivity;
  /** Used if the agent's settings enable it. */
  readonly noiseReduction?: NoiseReduction | undefined;
  readonly turnDetector: TurnDetector;
  readonly speechToText: SpeechToText;
  /** Transcribes during speech; `speechToText` is its fallback. */
  readonly streamingSpeechToText?: StreamingSpeechToText | undefined;
  readonly onFault: CallFault;
}

export interface CallerInputOptions {
  readonly ports: CallerInputPorts;
  readonly config: AgentConfig;
  readonly boundary: FaultBoundary;
  /** Clock time of call time zero, ms. */
  readonly startedAt: number;
  /** For transports without an echo canceller. */
  readonly echoGate: EchoGate | undefined;
  readonly dispatch: (event: TurnEvent) => void;
  /** Whether a turn of the caller is open, from its first speech to its commit. */
  readonly isTurnOpen: () => boolean;
  /** The agent's audio that the caller is listening to; undefined in silence. */
  readonly currentPlayback: () => CurrentPlayback | undefined;
  /** Receives the open turn's newest text. */
  readonly onInterim: (text: string) => void;
  /** Receives each detected language (ISO 639-1) with the text that it was detected in. */
  readonly onLanguage: (language: string, text: string) => void;
}

/** Turns the caller's audio into events for the turn reducer. */
export class CallerInput {
  readonly #options: CallerInputOptions;
  readonly #audio: AudioInput;
  readonly #transcriber: BatchTranscriber | StreamingTranscriber;
  /** Ids of the speech recognition providers of the newest turn. */
  readonly #providers = new Set<string>();
  #judging = new AbortController();
  #turnStartSample = 0;
  #speechEndSample = 0;
  /** The pause that awaits its final transcript. */
  #pause: { readonly speechEndSample: number; readonly speechEndMs: number } | undefined;

  constructor(options: CallerInputOptions) {
    this.#options = options;
    const { config, boundary, echoGate } = options;
    const { clock, voiceActivity, noiseReduction, onFault } = options.ports;
    this.#audio = new AudioInput({
      clock,
      boundary,
      voiceActivity,
      segmenter: {
        threshold: config.vadActivationThreshold,
        minSpeechMs: config.minSpeechMs,
        minSilenceMs: config.minSilenceMs,
      },
      onEdge: (edge) => this.#onEdge(edge),
      noiseReduction: config.autoNoiseReduction ? noiseReduction : undefined,
      echoGate,
      onNoiseFault: (error) => onFault('noise-reduction', error),
    });
    const { speechToText, streamingSpeechToText } = options.ports;
    const transcriber: BatchTranscriberOptions = {
      speechToText,
      language: config.voice.language === 'auto' ? undefined : config.voice.language,
      recentAudio: this.#audio.recentAudio,
      clock,
      boundary,
      onTranscript: (transcript) => this.#onTranscript(transcript),
      onFault: (error) => onFault('recogniser', error),
    };
    this.#transcriber = streamingSpeechToText
      ? new StreamingTranscriber({ ...transcriber, streamingSpeechToText })
      : new BatchTranscriber(transcriber);
  }

  get droppedSamples(): number {
    return this.#audio.droppedSamples;
  }

  /** Ids of the speech recognition providers of the newest turn, in the order of their use. */
  get recognisers(): readonly string[] {
    return [...this.#providers];
  }

  audio(samples: Int16Array): void {
    this.#audio.push(samples);
  }

  connectionLost(): void {
    this.#audio.lost();
  }

  connectionRegained(): void {
    this.#audio.regained();
  }

  /** Requests the final transcript up to the pause at `speechEndMs`. */
  finalise(speechEndMs: number): void {
    this.#pause = { speechEndSample: this.#speechEndSample, speechEndMs };
    this.#transcriber.finalise(this.#speechEndSample);
  }

  /** The turn is over; the next speech starts a new transcript. */
  endTurn(): void {
    this.#transcriber.reset();
    this.#providers.clear();
  }

  /**
   * Dispatches the turn detector's probability that the turn ended at `speechEndMs`. Without a result the
   * turn is committed at its longest delay.
   * @param silenceMs - silence after the speech that the detector receives, ms
   */
  async judge(speechEndMs: number, silenceMs: number): Promise<void> {
    const { turnDetector, onFault } = this.#options.ports;
    const from = Math.max(0, this.#turnStartSample - PRE_ROLL_SAMPLES);
    const to = this.#speechEndSample + Math.round((silenceMs * CALLER_SAMPLE_RATE) / 1000);
    const samples = this.#audio.recentAudio.slice(from, to);
    // Cancels a request that is still queued, so that a slow detector accumulates no backlog.
    this.#judging.abort();
    this.#judging = new AbortController();
    const { signal } = this.#judging;
    let probability: number;
    try {
      probability = await turnDetector.completeness(samples, signal);
    } catch (error) {
      if (!signal.aborted) onFault('turn-model', error);
      return;
    }
    this.#options.dispatch({ type: 'completeness', speechEndMs, probability });
  }

  close(): void {
    const { boundary } = this.#options;
    this.#judging.abort();
    boundary.run(() => this.#transcriber.close());
    this.#audio.close();
  }

  #onEdge(edge: SpeechEdge): void {
    const { dispatch, isTurnOpen } = this.#options;
    switch (edge.type) {
      case 'speech-started':
        this.#onSpeech(edge.startSample);
        return;
      case 'speech-resumed':
        this.#judging.abort();
        // The commit timer may have fired before the segment ended.
        if (!isTurnOpen()) {
          this.#onSpeech(edge.atSample - VAD_WINDOW);
          return;
        }
        this.#transcriber.speech(edge.atSample);
        dispatch({ type: edge.type });
        return;
      case 'pause':
        this.#speechEndSample = edge.speechEndSample;
        dispatch({ type: 'speech-paused', speechEndMs: this.#callMs(edge.speechEndSample) });
        return;
      case 'speech-stopped':
        this.#speechEndSample = edge.speechEndSample;
        dispatch({ type: edge.type, speechEndMs: this.#callMs(edge.speechEndSample) });
    }
  }

  #onSpeech(startSample: number): void {
    const { dispatch, isTurnOpen, currentPlayback } = this.#options;
    if (!isTurnOpen()) this.#turnStartSample = startSample;
    this.#transcriber.speech(startSample);
    const over = currentPlayback();
    const startMs = this.#callMs(startSample);
    dispatch({ type: 'speech-started', startMs, ...(over && { over }) });
  }

  #onTranscript({ text, speechEndSample, upToSample, language, providerId }: Transcript): void {
    const { dispatch, isTurnOpen, onInterim, onLanguage } = this.#options;
    if (!isTurnOpen()) return;
    if (text !== '') this.#providers.add(providerId);
    if (language !== undefined) onLanguage(language, text);
    onInterim(text);
    const isFinal =
      speechEndSample !== undefined && speechEndSample === this.#pause?.speechEndSample;
    const speechEndMs = isFinal ? this.#pause?.speechEndMs : undefined;
    const upTo = upToSample === undefined ? {} : { upToMs: this.#callMs(upToSample) };
    dispatch({ type: 'transcript', text, speechEndMs, ...upTo });
  }

  #callMs(sample: number): number {
    return this.#audio.msAt(sample) - this.#options.startedAt;
  }
}
