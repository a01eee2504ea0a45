import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { speakText } from '../../../media/tts/speak-text.js';
import { type SpeechJob, Synthesiser } from '../../../media/tts/synthesiser.js';
import { plainText, ToneVoice } from '../../support/fakes/tone-voice.js';

const TEXT = 'Good morning everyone. This is the second sentence! Is it the last one?';
const scheduler = new CpuScheduler(1);
const encoders = new EncoderThread(scheduler);
const synthesiser = new Synthesiser(encoders);
const never = new AbortController().signal;
let voice: ToneVoice;

beforeEach(() => {
  voice = new ToneVoice();
});
afterAll(() => encoders.close());

function job(format: string, text = TEXT): SpeechJob {
  return { voice, format: AUDIO_FORMATS.get(format)!, request: plainText(text) };
}

async function streamed(format: string, text = TEXT): Promise<Buffer> {
  const outputs: Uint8Array[] = [];
  for await (const output of synthesiser.stream(job(format, text), never)) outputs.push(output);
  return Buffer.concat(outputs);
}

function nothingIsLeft() {
  expect([voice.active, encoders.openStreams, scheduler.busy]).toEqual([0, 0, 0]);
}

describe('speakText', () => {
  it.each([0, 2])(
    'times every word in the complete text and stream, %i chunks ahead',
    async (ahead) => {
      const words: { word: string; startSample: number; endSample: number }[] = [];
      let total = 0;
      for await (const chunk of speakText(voice, plainText(TEXT), {
        signal: never,
        firstPriority: 'first-chunk',
        ahead,
      })) {
        total += chunk.samples.length;
        for (const { textStart, textEnd, startSample, endSample } of chunk.words) {
          words.push({ word: TEXT.slice(textStart, textEnd), startSample, endSample });
        }
      }
      expect(words.map(({ word }) => word).join(' ')).toBe(TEXT.replaceAll(/[.!?]/g, ''));
      expect(words[0]!.startSample).toBe(0);
      expect(words.at(-1)!.endSample).toBe(total);
      for (const [i, word] of words.slice(1).entries()) {
        expect(word.startSample).toBe(words[i]!.endSample);
      }
    },
  );

  it('computes nothing without a request', async () => {
    const chunks = speakText(voice, plainText(TEXT), {
      signal: never,
      firstPriority: 'first-chunk',
    });
    await chunks.next();
    expect(voice.chunks).toBe(1);
    await chunks.return(undefined);
    nothingIsLeft();
  });
});

describe('Synthesiser', () => {
  it.each(['pcm', 'mp3', 'mp3_22050_32'])(
    'streams the bytes of the complete file, %s',
    async (format) => {
      const { pieces: outputs, length } = await synthesiser.synthesiseFile(job(format), never);
      const whole = Buffer.concat(outputs);
      expect(whole.length).toBe(length);
      expect((await streamed(format)).equals(whole)).toBe(true);
      nothingIsLeft();
    },
  );

  it('has WAV sizes in a complete file and the same samples', async () => {
    const { pieces: outputs, length } = await synthesiser.synthesiseFile(job('wav'), never);
    const whole = Buffer.concat(outputs);
    expect(whole.readUInt32LE(40)).toBe(length - 44);
    const stream = await streamed('wav');
    expect(stream.readUInt32LE(40)).toBe(0xffffffff);
    expect(stream.subarray(44).equals(whole.subarray(44))).toBe(true);
  });

  it('returns a short silence for a text without audio', async () => {
    expect((await streamed('pcm', '😀')).length).toBe(2 * 3200);
    expect((await synthesiser.synthesiseFile(job('pcm', '…'), never)).length).toBe(2 * 3200);
    nothingIsLeft();
  });

  it('stops when its consumer does not pull: one chunk is delivered, one more is ready', async () => {
    const outputs = synthesiser.stream(job('pcm', `${'word '.repeat(300)}.`), never);
    await outputs.next();
    await expect.poll(() => voice.chunks).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(voice.chunks).toBe(2);
    await outputs.return(undefined);
    nothingIsLeft();
  });

  it('leaves nothing behind when its consumer returns at any time', async () => {
    for (let pulls = 0; pulls < 6; pulls++) {
      const outputs = synthesiser.stream(job('mp3'), never);
      for (let i = 0; i < pulls; i++) await outputs.next();
      await outputs.return(undefined);
      nothingIsLeft();
    }
  });

  it('throws ABORTED when its signal is aborted, and leaves nothing behind', async () => {
    const abort = new AbortController();
    voice.beforeChunk = async (chunk) => {
      if (chunk === 2) abort.abort();
    };
    const read = async () => {
      for await (const _ of synthesiser.stream(job('mp3'), abort.signal));
    };
    await expect(read()).rejects.toMatchObject({ code: 'ABORTED' });
    nothingIsLeft();
    await expect(synthesiser.synthesiseFile(job('mp3'), abort.signal)).rejects.toMatchObject({
      code: 'ABORTED',
    });
    nothingIsLeft();
  });

  it('passes an error of the voice on after the preceding bytes', async () => {
    const outputs = synthesiser.stream(job('pcm', 'This ends in a FAULT here.'), never);
    expect((await outputs.next()).done).toBe(false);
    await expect(outputs.next()).rejects.toMatchObject({ code: 'WORKER_DIED' });
    nothingIsLeft();
  });
});
