// A program of its own, run as a child process: nothing else loads the native LiveKit library. It holds
// rooms for the gateway, with which it talks in frames over the pipe 3, and ends when that does.
import { Socket } from 'node:net';
import { systemClock } from '../../../timing/system-clock.js';
import { IpcFrameReader, messageFrame, readIpcMessage, readSamples } from '../ipc-frames.js';
import type { FromBridge, ToBridge } from '../ipc-messages.js';
import { BoundedAudioWriter } from './bounded-audio-writer.js';
import { BridgeRoom, errorSummary } from './bridge-room.js';

const PIPE = 3;
const BEAT_MS = 1_000;

// A Ctrl-C reaches the whole group: the gateway says when this is over.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const pipe = new Socket({ fd: PIPE, readable: true, writable: true });
const rooms = new Map<number, BridgeRoom>();
const callers = new BoundedAudioWriter(pipe);

// The library leaves promises alone when rooms end: no reason to end the others.
process.on('unhandledRejection', (error) => tell(0, { type: 'fault', why: errorSummary(error) }));

const reader = new IpcFrameReader();
pipe.on('data', (bytes: Buffer) => {
  reader.push(bytes, ({ kind, room, payload }) => {
    if (kind === 'audio') rooms.get(room)?.audio(readSamples(payload));
    else handle(room, readIpcMessage(payload) as ToBridge);
  });
});
pipe.on('error', () => process.exit(0));
pipe.on('close', () => process.exit(0));
pipe.on('end', () => process.exit(0));

setInterval(() => tell(0, { type: 'beat', rooms: rooms.size }), BEAT_MS);
tell(0, { type: 'beat', rooms: 0 });

function handle(id: number, message: ToBridge): void {
  if (message.type === 'join') rooms.set(id, open(id));
  try {
    rooms.get(id)?.handle(message);
  } catch (error) {
    tell(0, { type: 'fault', why: errorSummary(error) });
  }
}

function open(id: number): BridgeRoom {
  return new BridgeRoom({
    clock: systemClock,
    tell: (message) => {
      tell(id, message);
      if (message.type !== 'left') return;
      rooms.delete(id);
      callers.forget(id);
    },
    onAudio: (samples) => callers.push(id, samples),
  });
}

function tell(id: number, message: FromBridge): void {
  pipe.write(messageFrame(id, message));
}
