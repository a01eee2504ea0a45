import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { AUDIO_TYPE, type AudioEncoders, type AudioMixer } from './audio-mixer.js';

/** Maximum backlog of a listener, bytes: more than 30 s of audio. A slower listener is disconnected. */
const MAX_WAITING = 256 * 1024;

const HEADERS = {
  'Content-Type': AUDIO_TYPE,
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** Responds with the audio of a call, until the call is over or the listener disconnects. */
export async function listenInto(
  response: ServerResponse,
  mixer: AudioMixer,
  encoders: AudioEncoders,
): Promise<void> {
  if (response.closed) return;
  response.writeHead(200, HEADERS);
  response.flushHeaders();
  const closed = once(response, 'close');
  const stop = mixer.listen(encoders, {
    sound: (bytes) => {
      if (response.writableEnded) return;
      if (response.writableLength > MAX_WAITING) response.destroy();
      else response.write(bytes);
    },
    over: () => void response.end(),
  });
  await closed;
  stop();
}

/** Forwards the audio of another gateway, which disconnects slow listeners. */
export async function forwardAudio(
  audio: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, HEADERS);
  response.flushHeaders();
  await pipeline(audio, response);
}
