import { expect, it } from 'vitest';
import { AUDIO_FORMATS, audioFormats } from '../../../media/codec/audio-formats.js';
import { decodeWithFfmpeg } from '../../support/harness/audio/decode-audio.js';
import { runBytes } from '../../support/harness/audio/run-stage.js';
import { likenessDb, tone } from '../../support/harness/audio/tones.js';
import { describeWith } from '../../support/harness/process/required-tools.js';

/** ffmpeg's names of formats without a header. */
const HEADERLESS: Readonly<Record<string, string>> = {
  'audio/pcm': 's16le',
  'audio/basic': 'mulaw',
  'audio/x-alaw-basic': 'alaw',
};
/** From a pipe, ffmpeg 9 detects a short MP3 file as H.266 video unless its format is given. */
const MP3_INPUT = ['-f', 'mp3'];

describeWith(['ffmpeg'], 'decoded by ffmpeg', ({ ffmpeg }) => {
  const ofLamejs = [...audioFormats('lamejs').values()]
    .filter(({ contentType }) => contentType === 'audio/mpeg')
    .map((format) => ({ ...format, name: `${format.name} of lamejs` }));

  it.each([...AUDIO_FORMATS.values(), ...ofLamejs])(
    '$name has the announced duration and the same audio',
    async ({ name, contentType, sampleRate, createEncoder }) => {
      const raw = HEADERLESS[contentType];
      const rawInput = raw ? ['-f', raw, '-ar', String(sampleRate), '-ac', '1'] : [];
      const input = contentType === 'audio/mpeg' ? MP3_INPUT : rawInput;
      for (const length of [1, 1151, 1152, 20000, 20577]) {
        const samples = tone(440, sampleRate, length);
        const file = runBytes(await createEncoder(), [samples]);
        const found = await decodeWithFfmpeg(ffmpeg, file, { input, sampleRate });
        const extra = found.length - length;
        if (contentType === 'audio/mpeg') {
          expect(extra).toBeGreaterThan(0);
          expect(extra).toBeLessThanOrEqual(2304);
        } else expect(extra).toBe(0);
        // An MP3 starts after LAME's delay of 576 samples and the decoder's delay of 529.
        const aligned = extra === 0 ? found : found.subarray(1105);
        if (length > 10000) {
          const minLikenessDb = isOfLamejs(name) ? LAMEJS_DB : (LIKENESS_DB[contentType] ?? 60);
          expect(likenessDb(samples, aligned)).toBeGreaterThan(minLikenessDb);
        }
      }
    },
  );
});

/** lamejs has no bit reservoir, so that a tone loses more quality at 48 kbit/s. */
const LAMEJS_DB = 15;
const isOfLamejs = (name: string) => name.endsWith('lamejs');

/** Minimum signal-to-difference ratio of lossy codecs in dB. */
const LIKENESS_DB: Readonly<Record<string, number>> = {
  'audio/mpeg': 20,
  'audio/basic': 30,
  'audio/x-alaw-basic': 30,
  'audio/ogg; codecs=opus': 15,
};
