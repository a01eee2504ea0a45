import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { AUDIO_TYPE, type AudioEncoders, type AudioMixer } from './audio-mixer.js';

/** Sound that a listener has not taken: more than half a minute. Who is so far behind is cut off, bytes. */
const MAX_WAITING = 256 * 1024;

const HEADERS = {
  'Content-Type': AUDIO_TYPE,
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** Sends a call's sound as an answer, until the call is over or the listener goes. */
export async function listenInto(
  response: ServerResponse,
  sound: AudioMixer,
  encoders: AudioEncoders,
): Promise<void> {
  if (response.closed) return;
  response.writeHead(200, HEADERS);
  response.flushHeaders();
  const closed = once(response, 'close');
  const stop = sound.listen(encoders, {
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

/** Passes on the sound that another gateway sends; a listener who is slow is cut off over there. */
export async function passOn(sound: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, HEADERS);
  response.flushHeaders();
  await pipeline(sound, response);
}
