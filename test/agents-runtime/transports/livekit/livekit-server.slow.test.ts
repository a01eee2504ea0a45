import { RoomServiceClient } from 'livekit-server-sdk';
import { expect, it } from 'vitest';
import { startLiveKitServer } from '../../../support/harness/process/livekit-server.js';
import { describeWith } from '../../../support/harness/process/required-tools.js';

describeWith(['livekit-server'], 'LiveKit test server', (tools) => {
  it('starts on loopback and accepts its API key', async () => {
    const server = await startLiveKitServer(tools['livekit-server']);
    try {
      expect((await fetch(server.url)).status).toBe(200);
      const rooms = new RoomServiceClient(server.url, server.apiKey, server.apiSecret);
      expect((await rooms.createRoom({ name: 'hall' })).name).toBe('hall');
      const unauthorised = new RoomServiceClient(server.url, server.apiKey, 'x'.repeat(36));
      await expect(unauthorised.listRooms()).rejects.toThrow();
    } finally {
      await server.stop();
    }
  });
});
