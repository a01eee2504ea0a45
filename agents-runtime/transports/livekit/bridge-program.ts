// A program of its own, run as a child process: nothing else loads the native LiveKit library. It holds
// rooms for the gateway, with which it talks in frames over the pipe 3, and ends when that does.
import { Socket } from 'node:net';
import { systemClock } from '../../clock.js';
import { BridgeRoom } from './bridge-room.js';
import {
  audioFrame,
  FrameReader,
  gapFrame,
  messageFrame,
  readMessage,
  readSamples,
} from './frames.js';
import type { FromBridge, ToBridge } from './messages.js';

const PIPE = 3;
const BEAT_MS = 1_000;
/** The callers' audio is dropped while more than this waits for the gateway, bytes: a second of 25 rooms. */
const MOST_WAITING = 1_048_576;

// A Ctrl-C reaches the whole group: the gateway says when this is over.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const pipe = new Socket({ fd: PIPE, readable: true, writable: true });
const rooms = new Map<number, BridgeRoom>();
/** Samples that were dropped and of which the gateway has not been told. */
const dropped = new Map<number, number>();

const reader = new FrameReader();
pipe.on('data', (bytes: Buffer) => {
  reader.push(bytes, ({ kind, room, payload }) => {
    if (kind === 'audio') rooms.get(room)?.audio(readSamples(payload));
    else handle(room, readMessage(payload) as ToBridge);
  });
});
pipe.on('error', () => process.exit(0));
pipe.on('close', () => process.exit(0));
pipe.on('end', () => process.exit(0));

setInterval(() => tell(0, { type: 'beat', rooms: rooms.size }), BEAT_MS);
tell(0, { type: 'beat', rooms: 0 });

function handle(id: number, message: ToBridge): void {
  if (message.type === 'join') rooms.set(id, open(id));
  rooms.get(id)?.handle(message);
}

function open(id: number): BridgeRoom {
  return new BridgeRoom({
    clock: systemClock,
    tell: (message) => {
      tell(id, message);
      if (message.type !== 'left') return;
      rooms.delete(id);
      dropped.delete(id);
    },
    onAudio: (samples) => hear(id, samples),
  });
}

function hear(id: number, samples: Int16Array): void {
  const missing = dropped.get(id) ?? 0;
  if (pipe.writableLength > MOST_WAITING) {
    dropped.set(id, missing + samples.length);
    return;
  }
  if (missing > 0) pipe.write(gapFrame(id, missing));
  dropped.delete(id);
  pipe.write(audioFrame(id, samples));
}

function tell(id: number, message: FromBridge): void {
  pipe.write(messageFrame(id, message));
}
