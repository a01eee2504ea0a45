import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SpeechApp, startSpeechApp } from '../support/speech-app.js';
import { SpeechSocket } from '../support/speech-socket.js';
import { VirtualClock } from '../support/virtual-clock.js';

const WITHIN = { timeout: 10_000 };
let clock: VirtualClock;
let app: SpeechApp;
beforeEach(async () => {
  clock = new VirtualClock();
  app = await startSpeechApp({ clock });
});
afterEach(() => app.close());

it.each(['stream', 'multi-stream'])(
  'closes %s normally when nothing was said for three minutes',
  async (path) => {
    const client = await SpeechSocket.open(app.url, path);
    await expect.poll(() => clock.pending, WITHIN).toBe(1);
    clock.advance(179_000);
    client.say({ text: 'x' });
    await expect.poll(() => clock.pending, WITHIN).toBe(2); // the sentence may settle
    clock.advance(179_999);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    clock.advance(1);
    expect((await client.closed).code).toBe(1000);
    expect(clock.pending).toBe(0);
  },
);
