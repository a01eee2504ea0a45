// A participant of a room for the bench, as a program of its own: `pulse` says a short tone again and
// again and tells after how long it heard it back; `echo` says back each tone that it hears. Its
// arguments are its part, the server's URL and a token. It ends with its IPC channel.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  type RemoteTrack,
  Room,
  RoomEvent,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';
import { PULSE_EVERY_MS, PULSE_MS } from './pulses.js';

const RATE = 48_000;
const FRAME_MS = 10;
const FRAME = (RATE * FRAME_MS) / 1000;
const QUEUE_MS = 200;
const LOUD = 2_000;
/** A tone's echo has surely come, or got lost, by then. */
const LOST_MS = PULSE_EVERY_MS - 100;

const [, , part, url = '', token = ''] = process.argv;
const source = new AudioSource(RATE, 1, QUEUE_MS);
let saidAt: number | undefined;

process.on('disconnect', () => process.exit(0));
const room = new Room();
room.on(
  RoomEvent.TrackSubscribed,
  (track) => void (part === 'pulse' ? measure(track) : echo(track)),
);
await room.connect(url, token, { autoSubscribe: true, dynacast: false });
const track = LocalAudioTrack.createAudioTrack('voice', source);
const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
await room.localParticipant?.publishTrack(track, options);
process.send?.({ type: 'ready' });
if (part === 'pulse') await pulse();

async function pulse(): Promise<void> {
  const tone = Int16Array.from({ length: (RATE * PULSE_MS) / 1000 }, (_, i) =>
    Math.round(16_000 * Math.sin((2 * Math.PI * 1_000 * i) / RATE)),
  );
  for (;;) {
    // Not in step with anybody's frames.
    await sleep(PULSE_EVERY_MS + 40 * Math.random());
    saidAt = performance.now();
    for (let at = 0; at < tone.length; at += FRAME) say(tone.slice(at, at + FRAME));
  }
}

function say(samples: Int16Array): void {
  void source.captureFrame(new AudioFrame(samples, RATE, 1, samples.length)).catch(() => undefined);
}

async function measure(heard: RemoteTrack): Promise<void> {
  for await (const { data } of streamOf(heard)) {
    const onset = data.findIndex((sample) => Math.abs(sample) > LOUD);
    if (onset < 0 || saidAt === undefined) continue;
    const ms = performance.now() - saidAt - ((data.length - onset) * 1000) / RATE;
    saidAt = undefined;
    if (ms < LOST_MS) process.send?.({ type: 'heard', ms });
  }
}

/** Goes on a little after the tone, so that it comes back whole. */
async function echo(heard: RemoteTrack): Promise<void> {
  let leftMs = 0;
  for await (const { data } of streamOf(heard)) {
    if (data.some((sample) => Math.abs(sample) > LOUD)) leftMs = 40;
    if (leftMs > 0) say(data.slice());
    leftMs -= FRAME_MS;
  }
}

function streamOf(heard: RemoteTrack) {
  return new AudioStream(heard, { sampleRate: RATE, numChannels: 1, frameSizeMs: FRAME_MS });
}
