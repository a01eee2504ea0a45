// The child process that holds rooms for the gateway. Only this program loads the native LiveKit library. It
// exchanges frames with the gateway over file descriptor 3, and exits when the gateway does.
import { Socket } from 'node:net';
import { systemClock } from '../../../timing/system-clock.js';
import { IpcFrameReader, messageFrame, readIpcMessage, readSamples } from '../ipc-frames.js';
import type { FromBridge, ToBridge } from '../ipc-messages.js';
import { BoundedAudioWriter } from './bounded-audio-writer.js';
import { BridgeRoom, errorSummary } from './bridge-room.js';

const PIPE = 3;
const HEARTBEAT_MS = 1_000;

// Ctrl-C reaches the whole process group, but the gateway decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const pipe = new Socket({ fd: PIPE, readable: true, writable: true });
const rooms = new Map<number, BridgeRoom>();
const callers = new BoundedAudioWriter(pipe);

// The library leaves rejected promises when rooms end. The other rooms must continue.
process.on('unhandledRejection', (error) => send(0, { type: 'fault', why: errorSummary(error) }));

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

setInterval(() => send(0, { type: 'heartbeat', rooms: rooms.size }), HEARTBEAT_MS);
send(0, { type: 'heartbeat', rooms: 0 });

function handle(id: number, message: ToBridge): void {
  if (message.type === 'join') rooms.set(id, open(id));
  try {
    rooms.get(id)?.handle(message);
  } catch (error) {
    send(0, { type: 'fault', why: errorSummary(error) });
  }
}

function open(id: number): BridgeRoom {
  return new BridgeRoom({
    clock: systemClock,
    send: (message) => {
      send(id, message);
      if (message.type !== 'left') return;
      rooms.delete(id);
      callers.forget(id);
    },
    onAudio: (samples) => callers.push(id, samples),
  });
}

function send(id: number, message: FromBridge): void {
  pipe.write(messageFrame(id, message));
}
