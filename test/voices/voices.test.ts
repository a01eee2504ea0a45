import { describe, expect, it } from 'vitest';
import { withControlPlane } from '../support/control-plane.js';

const plane = withControlPlane();

describe('the list of voices', () => {
  it('holds the own ones, and on demand those that come with the models', async () => {
    const ask = await plane.asNewAccount();
    expect((await ask('GET', '/tts/voices')).body).toEqual([]);
    expect((await ask('GET', '/tts/voices?include=builtin')).body).toEqual([
      {
        voice_id: 'ada',
        status: 'AVAILABLE',
        name: 'Ada',
        voice_visibility: 'PUBLIC',
        language: 'en',
        sample_rate: 24_000,
        engine: 'test',
        installed: true,
        default: true,
      },
    ]);
    expect((await ask('GET', '/tts/voices?include=all')).status).toBe(422);
  });
});
