// A room participant in a child process. `pulse` sends a short tone repeatedly and reports the time
// until its echo; `echo` sends back each received tone. Arguments: role, server URL, token. It
// exits with its IPC channel.

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
/** After this time an echo counts as lost. */
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
    // The random delay avoids synchronisation with frames.
    await sleep(PULSE_EVERY_MS + 40 * Math.random());
    saidAt = performance.now();
    for (let at = 0; at < tone.length; at += FRAME) say(tone.slice(at, at + FRAME));
  }
}

function say(samples: Int16Array): void {
  void source.captureFrame(new AudioFrame(samples, RATE, 1, samples.length)).catch(() => undefined);
}

async function measure(remoteTrack: RemoteTrack): Promise<void> {
  for await (const { data } of streamOf(remoteTrack)) {
    const onset = data.findIndex((sample) => Math.abs(sample) > LOUD);
    if (onset < 0 || saidAt === undefined) continue;
    const ms = performance.now() - saidAt - ((data.length - onset) * 1000) / RATE;
    saidAt = undefined;
    if (ms < LOST_MS) process.send?.({ type: 'heard', ms });
  }
}

/** Continues after the tone, so that it returns completely. */
async function echo(remoteTrack: RemoteTrack): Promise<void> {
  let leftMs = 0;
  for await (const { data } of streamOf(remoteTrack)) {
    if (data.some((sample) => Math.abs(sample) > LOUD)) leftMs = 40;
    if (leftMs > 0) say(data.slice());
    leftMs -= FRAME_MS;
  }
}

function streamOf(remoteTrack: RemoteTrack) {
  return new AudioStream(remoteTrack, { sampleRate: RATE, numChannels: 1, frameSizeMs: FRAME_MS });
}
