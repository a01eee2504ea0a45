import {
  AudioStream,
  type ByteStreamReader,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  TrackKind,
  TrackSource,
} from '@livekit/rtc-node';
import { CALLER_SAMPLE_RATE } from '../../../../media/audio/pcm.js';
import type { Clock, Timer } from '../../../contract/clock.js';
import { FRAME_MS } from '../../../timing/frame-ticker.js';
import { decodePreconnectAudio, MAX_PRECONNECT_BYTES } from './preconnect-audio.js';

/** Track feature: the client sends preconnect audio. Source: livekit_models.proto, TF_PRECONNECT_BUFFER. */
const PRECONNECT_BUFFER = 6;
/** Longest wait for preconnect audio. Live audio is queued behind it. */
const PRECONNECT_WAIT_MS = 3_000;

type FrameReader = ReadableStreamDefaultReader<{ readonly data: Int16Array }>;

export interface RoomCallerTrackOptions {
  readonly clock: Clock;
  /** Receives and owns the caller's audio, mono 16 kHz. */
  readonly onAudio: (samples: Int16Array) => void;
}

/** The caller's microphone track, preceded by the audio from before the agent joined. */
export class RoomCallerTrack {
  readonly #options: RoomCallerTrackOptions;
  #reader: FrameReader | undefined;
  #trackSid: string | undefined;
  #held: Int16Array[] | undefined;
  #hasPreconnectAudio = false;
  #wait: Timer | undefined;
  #isClosed = false;

  constructor(options: RoomCallerTrackOptions) {
    this.#options = options;
  }

  /** The microphone track, if there is one. */
  get trackSid(): string | undefined {
    return this.#trackSid;
  }

  /** Subscribes to the caller's microphone. */
  want(participant: RemoteParticipant): void {
    for (const publication of participant.trackPublications.values()) {
      this.published(publication as RemoteTrackPublication);
    }
  }

  published(publication: RemoteTrackPublication): void {
    const { kind, source, info } = publication;
    const isMicrophone =
      source === TrackSource.SOURCE_MICROPHONE || source === TrackSource.SOURCE_UNKNOWN;
    if (kind !== TrackKind.KIND_AUDIO || !isMicrophone) return;
    if (info?.audioFeatures.some((feature) => Number(feature) === PRECONNECT_BUFFER)) this.#hold();
    publication.setSubscribed(true);
  }

  /** Reads this track from now on, instead of an earlier one. */
  subscribed(track: RemoteTrack): void {
    void this.#reader?.cancel().catch(() => undefined);
    this.#trackSid = track.sid;
    const stream = new AudioStream(track, {
      sampleRate: CALLER_SAMPLE_RATE,
      numChannels: 1,
      frameSizeMs: FRAME_MS,
    });
    const reader = stream.getReader();
    this.#reader = reader;
    void this.#read(reader);
  }

  /** Reads preconnect audio. @throws MediaError for invalid audio */
  async early(stream: ByteStreamReader): Promise<void> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of stream) {
      bytes += part.length;
      if (bytes > MAX_PRECONNECT_BYTES) break;
      parts.push(part);
    }
    if (this.#isClosed || this.#hasPreconnectAudio || bytes > MAX_PRECONNECT_BYTES) return;
    this.#hasPreconnectAudio = true;
    const { mimeType, attributes = {} } = stream.info;
    try {
      const samples = decodePreconnectAudio(Buffer.concat(parts), { mimeType, attributes });
      for (let at = 0; at < samples.length; at += CALLER_SAMPLE_RATE) {
        this.#options.onAudio(samples.slice(at, at + CALLER_SAMPLE_RATE));
      }
    } finally {
      this.#release();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#wait?.cancel();
    this.#held = undefined;
    void this.#reader?.cancel().catch(() => undefined);
    this.#reader = undefined;
  }

  async #read(reader: FrameReader): Promise<void> {
    for (;;) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
      if (done || !value || this.#reader !== reader) return;
      if (this.#held) this.#held.push(value.data);
      else this.#options.onAudio(value.data);
    }
  }

  #hold(): void {
    if (this.#held || this.#hasPreconnectAudio) return;
    this.#held = [];
    this.#wait = this.#options.clock.after(PRECONNECT_WAIT_MS, () => this.#release());
  }

  #release(): void {
    this.#wait?.cancel();
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const samples of held) this.#options.onAudio(samples);
  }
}
