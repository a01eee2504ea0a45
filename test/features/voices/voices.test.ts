import { describe, expect, it } from 'vitest';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { sniffAudioType } from '../../../src/features/voices/sniff-audio-type.js';
import { type Ask, withControlPlane } from '../../support/harness/app/control-plane-app.js';

const plane = withControlPlane();

const BUILTIN = {
  voice_id: 'ada',
  status: 'AVAILABLE',
  name: 'Ada',
  voice_visibility: 'PUBLIC',
  language: 'en',
  sample_rate: 24_000,
  engine: 'test',
  installed: true,
  default: true,
};

/** A tenth of a second of audio in a supported format. */
async function recording(format: string): Promise<Uint8Array<ArrayBuffer>> {
  const { createEncoder, sampleRate } = AUDIO_FORMATS.get(format)!;
  const encoder = await createEncoder();
  const parts: Uint8Array[] = [];
  const keep = (bytes: Uint8Array) => void parts.push(bytes.slice());
  encoder.push(new Float32Array(sampleRate / 10), keep);
  encoder.flush(keep);
  return new Uint8Array(Buffer.concat(parts));
}

const text = (characters: string) => new Uint8Array(Buffer.from(characters, 'latin1'));
const M4A = text('\0\0\0\x20ftypM4A \0\0\0\0M4A mp42isom\0\0\0\0');

function clone(
  ask: Ask,
  bytes: Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
) {
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'recording');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return ask('POST', '/tts/clone-voice', form);
}

describe('voice list', () => {
  it("contains the account's voices, and optionally the built-in ones", async () => {
    const ask = await plane.asNewAccount();
    expect((await ask('GET', '/tts/voices')).body).toEqual([]);
    expect((await ask('GET', '/tts/voices?include=builtin')).body).toEqual([BUILTIN]);
    const { body: made } = await clone(ask, await recording('wav'), { name: 'Mine' });
    const { body: list } = await ask('GET', '/tts/voices');
    expect(list).toEqual([
      {
        voice_id: made.voice_id,
        status: 'FAILED',
        name: 'Mine',
        voice_visibility: 'PUBLIC',
        language: 'en',
        sample_rate: null,
        failure_reason: expect.stringContaining('cloning'),
      },
    ]);
    expect((await ask('GET', '/tts/voices?include=builtin')).body).toEqual([...list, BUILTIN]);
    expect((await ask('GET', '/tts/voices?include=all')).status).toBe(422);
  });
});

describe('cloned voice', () => {
  it.each(['mp3', 'wav', 'opus_48000_32'])(
    'is created from %s, detected by content',
    async (format) => {
      const ask = await plane.asNewAccount();
      const bytes = await recording(format);
      const { status, body } = await clone(ask, bytes, {
        name: 'Zoë',
        voice_visibility: 'PRIVATE',
        language: 'de',
      });
      expect([status, body]).toEqual([200, { voice_id: expect.any(String), status: 'FAILED' }]);
      const read = await ask('GET', `/tts/voice/${body.voice_id}`);
      expect(read.body).toMatchObject({
        name: 'Zoë',
        voice_visibility: 'PRIVATE',
        language: 'de',
        status: 'FAILED',
        failure_reason: expect.any(String),
      });
      const row = await plane.database
        .db('voice_recordings')
        .where({ voice_id: body.voice_id })
        .first();
      expect(Buffer.from(bytes).equals(row.content)).toBe(true);
    },
  );

  it('is renamed, hidden, and deleted with its recording', async () => {
    const ask = await plane.asNewAccount();
    const { body: made } = await clone(ask, M4A);
    const path = `/tts/voice/${made.voice_id}`;
    const changed = await ask('PATCH', path, { name: 'New', voice_visibility: 'PRIVATE' });
    expect([changed.status, changed.body.name, changed.body.voice_visibility]).toEqual([
      200,
      'New',
      'PRIVATE',
    ]);
    expect((await ask('PATCH', path, { name: null })).body).toEqual(changed.body);
    expect((await ask('PATCH', path, { name: '', voice_visibility: 'MINE' })).status).toBe(422);
    expect((await ask('GET', path)).body).toEqual(changed.body);
    expect((await ask('DELETE', path)).body).toEqual({
      status: 'deleted',
      voice_id: made.voice_id,
    });
    expect((await ask('DELETE', path)).status).toBe(404);
    expect((await ask('GET', path)).body.code).toBe('VOICE_NOT_FOUND');
    expect((await ask('GET', '/tts/voices')).body).toEqual([]);
    const { rows } = await plane.database.db.raw(
      'select 1 from voice_recordings where voice_id = ?',
      [made.voice_id],
    );
    expect(rows).toEqual([]);
  });

  it('of another account is readable while it is public, and never writable', async () => {
    const [owner, other] = [await plane.asNewAccount(), await plane.asNewAccount()];
    const { body: made } = await clone(owner, M4A);
    const path = `/tts/voice/${made.voice_id}`;
    expect((await other('GET', path)).status).toBe(200);
    for (const [method, body] of [['PATCH', { name: 'Stolen' }], ['DELETE']] as const) {
      expect((await other(method, path, body)).status).toBe(404);
    }
    await owner('PATCH', path, { voice_visibility: 'PRIVATE' });
    expect((await other('GET', path)).body.code).toBe('VOICE_NOT_FOUND');
    expect((await other('GET', '/tts/voices')).body).toEqual([]);
    expect((await owner('GET', path)).body.name).toBe('Cloned voice');
  });

  it('is one of at most 50', async () => {
    const account = await plane.makeAccount();
    const ask = plane.askAs(await plane.makeKey(account));
    await plane.database.db.raw(
      `insert into voices (voice_id, account_id, name, visibility, language, status)
       select gen_random_uuid(), ?, 'x', 'PUBLIC', 'en', 'PENDING' from generate_series(1, 49)`,
      [account],
    );
    expect((await clone(ask, M4A)).status).toBe(200);
    expect((await clone(ask, M4A)).status).toBe(403);
  });
});

describe('invalid recording', () => {
  it.each([
    ['text', text('This is no sound.')],
    ['nothing', text('')],
    ['a picture', text('\x89PNG\r\n\x1a\n')],
    ['HEIC', text('\0\0\0\x18ftypheic\0\0\0\0')],
    ['a sync word alone', text('\xff\xfb')],
    ['MPEG layer II', text('\xff\xfd\x90\x00')],
    ['AVI', text('RIFF\0\0\0\0AVI ')],
  ])('is rejected: %s', async (_, bytes) => {
    const ask = await plane.asNewAccount();
    const { status, body } = await clone(ask, bytes);
    expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('is rejected above 7.5 MB, without a file, or with invalid form values', async () => {
    const ask = await plane.asNewAccount();
    const large = new Uint8Array(7_864_321);
    large.set(await recording('wav'));
    expect((await clone(ask, large)).status).toBe(413);
    expect((await clone(ask, large.subarray(0, 7_864_320))).status).toBe(200);
    const none = await ask('POST', '/tts/clone-voice', new FormData());
    expect(none.body.detail[0].loc).toEqual(['body', 'file']);
    const wrong = await clone(ask, M4A, { voice_visibility: 'ALL', language: 'xx' });
    expect(wrong.body.detail.map(({ loc }: { loc: string[] }) => loc[1])).toEqual([
      'voice_visibility',
      'language',
    ]);
  });

  it('is detected by content only', async () => {
    expect(sniffAudioType(M4A)).toBe('m4a');
    expect(sniffAudioType(await recording('opus_48000_32'))).toBe('ogg');
    expect(sniffAudioType(await recording('mp3'))).toBe('mp3');
    expect(sniffAudioType(text('ID3\x04\0'))).toBe('mp3');
  });
});

it('voice IDs are safe in paths', async () => {
  const ask = await plane.asNewAccount();
  for (const id of ['x', "'; drop table voices; --", '00000000-0000-0000-0000-000000000000']) {
    expect((await ask('GET', `/tts/voice/${encodeURIComponent(id)}`)).status).toBe(404);
  }
  expect((await ask('GET', '/tts/voice/ada')).body).toEqual(BUILTIN);
  expect((await ask('DELETE', '/tts/voice/ada')).status).toBe(404);
});

it('voices require the scope speech', async () => {
  const ask = plane.askAs(await plane.makeKey(await plane.makeAccount(), ['agents']));
  expect((await clone(ask, M4A)).status).toBe(403);
  expect((await ask('GET', '/tts/voice/ada')).status).toBe(403);
});
