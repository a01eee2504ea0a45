import { Framing } from '../../media/audio/framing.js';
import { toFloat32, toInt16 } from '../../media/audio/pcm.js';
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

const RATE = 16_000;
/** The caller's audio kept for the turn model (8 s) and the recogniser (12 s). */
const HISTORY_SECONDS = 16;
/** Audio may run ahead of the clock by what a client keeps while its socket is away. */
const MAX_AHEAD_MS = 12_000;
/** How fast the mapping from samples to time follows a wire that has become slower. */
const DRIFT = 0.02;
/** A gap in the audio larger than this moves the mapping at once. */
const JUMP_MS = 500;

/** A client that sends nothing for so long is silent: its speech must come to an end. */
const HOLE_MS = 600;
/** Silence put in for one hole: enough for any turn to end. */
const MAX_FILL_MS = 8_000;
const CHECK_MS = 200;

export interface AudioInputOptions {
  readonly clock: Clock;
  /** Contains exceptions of callbacks that the models invoke. */
  readonly boundary: FaultBoundary;
  readonly voiceActivity: VoiceActivity;
  readonly segmenter: SegmenterOptions;
  readonly onEdge: (edge: SpeechEdge) => void;
  /** Cleans the line while it is noisy; without it the line is heard as it is. */
  readonly noiseReduction?: NoiseReduction | undefined;
  /** Told once when the line could not be cleaned; it goes on as it is. */
  readonly onNoiseFault?: (error: unknown) => void;
  /** Keeps the agent's echo from being taken for speech, on wires that bring one. */
  readonly echoGate?: EchoGate | undefined;
}

/**
 * The caller's leg: keeps the last seconds of audio and finds the edges of speech in it. Sample time
 * is what everything is measured in; `msAt` maps it to clock time by when the samples arrived.
 */
export class AudioInput {
  readonly history = new AudioRingBuffer(HISTORY_SECONDS);
  readonly #clock: Clock;
  readonly #boundary: FaultBoundary;
  readonly #stream: VoiceActivityStream;
  readonly #segmenter: Segmenter;
  readonly #reframe = new Framing(VAD_WINDOW);
  #offsetMs: number | undefined;
  readonly #noise: NoiseReductionStream | undefined;
  readonly #echoGate: EchoGate | undefined;
  /** Samples that went to the VAD. */
  #windowed = 0;
  readonly #noiseSwitch = new NoiseDetector();
  #floats = new Float32Array(0);
  #pcm = new Int16Array(0);
  /** Samples that came in or were filled in; those that are being cleaned are not in the history yet. */
  #taken = 0;
  #droppedSamples = 0;
  /** How far (ms) what has been received ran ahead of real time when it last came. */
  #aheadMs = 0;
  #pushedAt = 0;
  #arrivedAt = 0;
  /** Clock time up to which the running hole is filled. */
  #filledTo = 0;
  #isLost = false;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: AudioInputOptions) {
    const { clock, boundary, voiceActivity, segmenter, onEdge, noiseReduction, echoGate } = options;
    this.#clock = clock;
    this.#boundary = boundary;
    this.#noise = noiseReduction?.open({
      onSamples: boundary.guard((samples) => this.#keep(samples)),
      onFault: boundary.guard((error) => options.onNoiseFault?.(error)),
    });
    this.#segmenter = new Segmenter(segmenter);
    this.#echoGate = echoGate;
    const onWindow = (probability: number) => {
      if (this.#isClosed) return;
      this.#segmenter.push(echoGate?.weigh(probability) ?? probability, onEdge);
    };
    this.#stream = voiceActivity.open(boundary.guard(onWindow));
  }

  /** Samples refused because they ran too far ahead of real time. */
  get droppedSamples(): number {
    return this.#droppedSamples;
  }

  /** Takes mono 16 kHz audio, which it copies. */
  push(samples: Int16Array): void {
    if (this.#isClosed || samples.length === 0) return;
    const now = this.#clock.now();
    const lengthMs = (samples.length * 1000) / RATE;
    // Real time catches up, and no further: time in which nothing came earns no larger burst.
    this.#aheadMs = Math.max(0, this.#aheadMs - (now - this.#pushedAt));
    this.#pushedAt = now;
    if (this.#aheadMs + lengthMs > MAX_AHEAD_MS) {
      this.#droppedSamples += samples.length;
      return;
    }
    this.#aheadMs += lengthMs;
    this.#arrivedAt = now;
    this.#filledTo = now;
    this.#take(samples);
    this.#timer ??= this.#clock.after(CHECK_MS, () => this.#fillHole());
  }

  /** The wire broke: what is missing may still come. */
  lost(): void {
    this.#isLost = true;
  }

  regained(): void {
    this.#isLost = false;
    this.#arrivedAt = this.#clock.now();
    this.#filledTo = this.#arrivedAt;
  }

  /** Clock time (ms) at which the sample at this position was spoken, as near as arrivals tell. */
  msAt(sample: number): number {
    return (this.#offsetMs ?? this.#clock.now()) + (sample * 1000) / RATE;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#boundary.run(() => this.#noise?.close());
    this.#boundary.run(() => this.#stream.close());
  }

  #take(samples: Int16Array): void {
    this.#taken += samples.length;
    this.#follow(this.#clock.now() - (this.#taken * 1000) / RATE);
    if (this.#floats.length < samples.length) this.#floats = new Float32Array(samples.length);
    const floats = this.#floats.subarray(0, samples.length);
    toFloat32(samples, floats);
    if (this.#noise) this.#noise.push(floats, this.#noiseSwitch.push(floats));
    else this.#keep(floats);
  }

  /** What the models hear: each sample in its own place, cleaned or not. */
  #keep(samples: Float32Array): void {
    if (this.#isClosed) return;
    if (this.#pcm.length < samples.length) this.#pcm = new Int16Array(samples.length);
    const pcm = this.#pcm.subarray(0, samples.length);
    toInt16(samples, pcm);
    this.history.push(pcm);
    this.#reframe.push(samples, (window) => {
      const from = this.#windowed;
      this.#windowed += VAD_WINDOW;
      this.#echoGate?.heard(window, this.msAt(from), this.msAt(this.#windowed));
      this.#stream.push(window);
    });
  }

  /** A microphone that is turned off sends nothing: sample time goes on all the same. */
  #fillHole(): void {
    this.#timer = this.#clock.after(CHECK_MS, () => this.#fillHole());
    const now = this.#clock.now();
    const holeMs = now - this.#arrivedAt;
    if (this.#isLost || holeMs < HOLE_MS || holeMs > MAX_FILL_MS) return;
    const silence = new Int16Array(Math.round(((now - this.#filledTo) * RATE) / 1000));
    this.#filledTo = now;
    this.#take(silence);
  }

  /** The least late packets tell the truth; a wire that has become slower is followed slowly, a gap at once. */
  #follow(offsetMs: number): void {
    const before = this.#offsetMs;
    const isSlower = before !== undefined && offsetMs > before && offsetMs <= before + JUMP_MS;
    this.#offsetMs = isSlower ? before + (offsetMs - before) * DRIFT : offsetMs;
  }
}
