import { Framing } from '../../media/audio/framing.js';
import { CALLER_SAMPLE_RATE, toFloat32, toInt16 } from '../../media/audio/pcm.js';
import { NoiseDetector } from '../../media/noise/noise-detector.js';
import type { NoiseReduction, NoiseReductionStream } from '../../media/noise/noise-reduction.js';
import { Segmenter, type SegmenterOptions, type SpeechEdge } from '../../media/vad/segmenter.js';
import {
  VAD_WINDOW,
  type VoiceActivity,
  type VoiceActivityStream,
} from '../../media/vad/voice-activity.js';
import type { Clock, Timer } from '../contract/clock.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { AudioRingBuffer } from './audio-ring-buffer.js';
import type { EchoGate } from './echo-gate.js';

/** Caller's audio in memory: the turn detector reads 8 s, speech recognition 12 s. */
const RECENT_AUDIO_SECONDS = 16;
/** Audio may run ahead of real time by this much: a client sends what it buffered while disconnected, ms. */
const MAX_AHEAD_MS = 12_000;
/** Share of a growing delay by which each frame moves the mapping from samples to time. */
const DELAY_SHARE = 0.02;
/** A larger increase of the delay is a gap and moves the mapping at once, ms. */
const JUMP_MS = 500;

/** A client that sends nothing for this long is silent, so that its speech ends, ms. */
const GAP_MS = 600;
/** Longest silence inserted for one gap: any turn ends within it, ms. */
const MAX_FILL_MS = 8_000;
const CHECK_MS = 200;

export interface AudioInputOptions {
  readonly clock: Clock;
  /** Contains exceptions of callbacks that the models invoke. */
  readonly boundary: FaultBoundary;
  readonly voiceActivity: VoiceActivity;
  readonly segmenter: SegmenterOptions;
  readonly onEdge: (edge: SpeechEdge) => void;
  /** Removes noise while the audio is noisy. */
  readonly noiseReduction?: NoiseReduction | undefined;
  /** Called once if noise reduction fails; the audio is then used unchanged. */
  readonly onNoiseFault?: (error: unknown) => void;
  /** For transports without an echo canceller. */
  readonly echoGate?: EchoGate | undefined;
}

/**
 * Receives the caller's audio, stores the last seconds and finds the edges of speech. Positions are samples
 * since the call began; `msAt` maps them to clock time by the arrival of the samples.
 */
export class AudioInput {
  readonly recentAudio = new AudioRingBuffer(RECENT_AUDIO_SECONDS);
  readonly #clock: Clock;
  readonly #boundary: FaultBoundary;
  readonly #stream: VoiceActivityStream;
  readonly #segmenter: Segmenter;
  readonly #framing = new Framing(VAD_WINDOW);
  #offsetMs: number | undefined;
  readonly #noise: NoiseReductionStream | undefined;
  readonly #echoGate: EchoGate | undefined;
  /** Samples passed to voice activity detection. */
  #windowed = 0;
  readonly #noiseDetector = new NoiseDetector();
  #floats = new Float32Array(0);
  #pcm = new Int16Array(0);
  /** Samples received or inserted. With noise reduction they reach `recentAudio` later. */
  #received = 0;
  #droppedSamples = 0;
  /** How far the audio ran ahead of real time at the last frame, ms. */
  #aheadMs = 0;
  #pushedAt = 0;
  #arrivedAt = 0;
  /** Clock time up to which silence was inserted in the current gap. */
  #filledTo = 0;
  #isLost = false;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: AudioInputOptions) {
    const { clock, boundary, voiceActivity, segmenter, onEdge, noiseReduction, echoGate } = options;
    this.#clock = clock;
    this.#boundary = boundary;
    this.#noise = noiseReduction?.open({
      onSamples: boundary.guard((samples) => this.#store(samples)),
      onFault: boundary.guard((error) => options.onNoiseFault?.(error)),
    });
    this.#segmenter = new Segmenter(segmenter);
    this.#echoGate = echoGate;
    const onWindow = (probability: number) => {
      if (this.#isClosed) return;
      this.#segmenter.push(echoGate?.gate(probability) ?? probability, onEdge);
    };
    this.#stream = voiceActivity.open(boundary.guard(onWindow));
  }

  /** Samples dropped because they ran too far ahead of real time. */
  get droppedSamples(): number {
    return this.#droppedSamples;
  }

  /** Receives mono 16 kHz audio and copies it. */
  push(samples: Int16Array): void {
    if (this.#isClosed || samples.length === 0) return;
    const now = this.#clock.now();
    const lengthMs = (samples.length * 1000) / CALLER_SAMPLE_RATE;
    // At least 0: a pause allows no longer burst afterwards.
    this.#aheadMs = Math.max(0, this.#aheadMs - (now - this.#pushedAt));
    this.#pushedAt = now;
    if (this.#aheadMs + lengthMs > MAX_AHEAD_MS) {
      this.#droppedSamples += samples.length;
      return;
    }
    this.#aheadMs += lengthMs;
    this.#arrivedAt = now;
    this.#filledTo = now;
    this.#receive(samples);
    this.#timer ??= this.#clock.after(CHECK_MS, () => this.#fillGap());
  }

  /** The connection is lost: the missing audio may still arrive. */
  lost(): void {
    this.#isLost = true;
  }

  regained(): void {
    this.#isLost = false;
    this.#arrivedAt = this.#clock.now();
    this.#filledTo = this.#arrivedAt;
  }

  /** Clock time at which the sample at this position was spoken, ms, estimated from arrivals. */
  msAt(sample: number): number {
    return (this.#offsetMs ?? this.#clock.now()) + (sample * 1000) / CALLER_SAMPLE_RATE;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#boundary.run(() => this.#noise?.close());
    this.#boundary.run(() => this.#stream.close());
  }

  #receive(samples: Int16Array): void {
    this.#received += samples.length;
    this.#updateOffset(this.#clock.now() - (this.#received * 1000) / CALLER_SAMPLE_RATE);
    if (this.#floats.length < samples.length) this.#floats = new Float32Array(samples.length);
    const floats = this.#floats.subarray(0, samples.length);
    toFloat32(samples, floats);
    if (this.#noise) this.#noise.push(floats, this.#noiseDetector.push(floats));
    else this.#store(floats);
  }

  /** Stores samples at their positions, and passes them to voice activity detection. */
  #store(samples: Float32Array): void {
    if (this.#isClosed) return;
    if (this.#pcm.length < samples.length) this.#pcm = new Int16Array(samples.length);
    const pcm = this.#pcm.subarray(0, samples.length);
    toInt16(samples, pcm);
    this.recentAudio.push(pcm);
    this.#framing.push(samples, (window) => {
      const from = this.#windowed;
      this.#windowed += VAD_WINDOW;
      this.#echoGate?.received(window, this.msAt(from), this.msAt(this.#windowed));
      this.#stream.push(window);
    });
  }

  /** Inserts silence while a client sends nothing, for example with its microphone off. */
  #fillGap(): void {
    this.#timer = this.#clock.after(CHECK_MS, () => this.#fillGap());
    const now = this.#clock.now();
    const gapMs = now - this.#arrivedAt;
    if (this.#isLost || gapMs < GAP_MS || gapMs > MAX_FILL_MS) return;
    const silence = new Int16Array(
      Math.round(((now - this.#filledTo) * CALLER_SAMPLE_RATE) / 1000),
    );
    this.#filledTo = now;
    this.#receive(silence);
  }

  /** The frame with the least delay sets the mapping; a growing delay moves it slowly, a gap at once. */
  #updateOffset(offsetMs: number): void {
    const before = this.#offsetMs;
    const isSlower = before !== undefined && offsetMs > before && offsetMs <= before + JUMP_MS;
    this.#offsetMs = isSlower ? before + (offsetMs - before) * DELAY_SHARE : offsetMs;
  }
}
