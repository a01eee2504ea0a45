import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import type {
  AudioEncoders,
  AudioMixer,
  Listener,
} from '../../../src/calls/monitoring/audio-mixer.js';
import { listenInto } from '../../../src/calls/monitoring/audio-response.js';

it('a listener that does not read is disconnected, and a disconnected listener is removed', async () => {
  const open = new Set<Listener>();
  const mixer = {
    listen(_: AudioEncoders, listener: Listener) {
      open.add(listener);
      return () => open.delete(listener);
    },
  };
  const server = createServer((_, response) => {
    void listenInto(response, mixer as unknown as AudioMixer, {} as AudioEncoders);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = [0, 1].map(() => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: parley\r\n\r\n');
    client.pause();
    return client;
  });
  await vi.waitFor(() => expect(open.size).toBe(2), { timeout: 20_000, interval: 10 });
  clients[0]!.destroy();
  await vi.waitFor(() => expect(open.size).toBe(1), { timeout: 20_000, interval: 10 });
  await vi.waitFor(
    () => {
      for (const listener of open) listener.sound(new Uint8Array(65_536));
      expect(open.size).toBe(0);
    },
    { timeout: 20_000, interval: 5 },
  );
  clients[1]!.destroy();
  server.closeAllConnections();
  server.close();
});
