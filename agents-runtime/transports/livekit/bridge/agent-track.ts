import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type LocalParticipant,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';
import type { Clock } from '../../../contract/clock.js';
import { ROOM_RATE } from '../ipc-messages.js';
import { RoomPlayer } from './room-player.js';

/** Queue of the native source. Must be a multiple of 10 ms, or the native library aborts the process. */
const SOURCE_QUEUE_MS = 200;
/** Audio in WebRTC and in the listener's buffer when the queue is empty. */
const TAIL_MS = 300;

/** The agent's track in a room. */
export class RoomAgentTrack {
  readonly player: RoomPlayer;
  readonly #source = new AudioSource(ROOM_RATE, 1, SOURCE_QUEUE_MS);
  readonly #track = LocalAudioTrack.createAudioTrack('agent', this.#source);
  readonly #clock: Clock;
  #pushedAt = Number.NEGATIVE_INFINITY;
  #trackSid: string | undefined;
  #subscribed: Promise<void> = Promise.resolve();

  constructor(clock: Clock, onPlayed: (playedMs: number) => void) {
    this.#clock = clock;
    const source = this.#source;
    this.player = new RoomPlayer({
      sampleRate: ROOM_RATE,
      clock,
      onPlayed,
      sink: {
        get queuedMs() {
          return source.queuedDuration;
        },
        push: (samples) => this.#push(samples),
        clear: () => source.clearQueue(),
      },
    });
  }

  get trackSid(): string | undefined {
    return this.#trackSid;
  }

  /** Resolves when a participant has subscribed to the track. Valid after `publish`. */
  get subscribed(): Promise<void> {
    return this.#subscribed;
  }

  async publish(participant: LocalParticipant): Promise<void> {
    const source = TrackSource.SOURCE_MICROPHONE;
    const publication = await participant.publishTrack(
      this.#track,
      new TrackPublishOptions({ source }),
    );
    this.#trackSid = publication.sid;
    this.#subscribed = publication.waitForSubscription();
  }

  /** Resolves when all audio has been played. */
  async finished(): Promise<void> {
    const quietMs = this.#clock.now() - this.#pushedAt;
    const waitMs = this.#source.queuedDuration + TAIL_MS - Math.max(0, quietMs - SOURCE_QUEUE_MS);
    if (waitMs > 0) await new Promise<void>((resolve) => this.#clock.after(waitMs, resolve));
  }

  async close(): Promise<void> {
    this.player.close();
    await this.#track.close(true);
  }

  #push(samples: Int16Array<ArrayBuffer>): void {
    this.#pushedAt = this.#clock.now();
    // Rejects after the source is closed.
    this.#source
      .captureFrame(new AudioFrame(samples, ROOM_RATE, 1, samples.length))
      .catch(() => undefined);
  }
}
