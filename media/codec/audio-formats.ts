import type { AudioFormat } from './encoder.js';
import { encodeAlaw, encodeMulaw, G711Encoder } from './g711.js';
import type { Mp3Options } from './lame.js';
import { createMp3Encoder, type Mp3Program } from './mp3.js';
import { OggOpusEncoder } from './ogg-opus.js';
import { Pcm16Encoder } from './pcm16.js';
import { WavEncoder, wavHeader } from './wav.js';

/** Sample rate in Hz of `mp3`, `wav` and `pcm`, whose names contain no rate. */
const BASE_RATE = 32000;

/**
 * All output formats by name. A decoded MP3 is longer than its input by the encoder's delay and padding,
 * 1 to 2,304 samples. All other formats keep the exact length.
 */
export const AUDIO_FORMATS = audioFormats('wasm');

/** The table of output formats, with the given program for MP3. */
export function audioFormats(mp3Program: Mp3Program): ReadonlyMap<string, AudioFormat> {
  const mp3 = (
    name: string,
    sampleRate: number,
    kilobitsPerSecond: Mp3Options['kilobitsPerSecond'],
  ): AudioFormat => ({
    name,
    contentType: 'audio/mpeg',
    sampleRate,
    createEncoder: () => createMp3Encoder({ sampleRate, kilobitsPerSecond }, mp3Program),
  });
  const formats = [
    mp3('mp3', BASE_RATE, 128),
    wav('wav', BASE_RATE),
    pcm('pcm', BASE_RATE),
    g711('alaw_8000', 'audio/x-alaw-basic', encodeAlaw),
    mp3('mp3_22050_32', 22050, 32),
    mp3('mp3_24000_48', 24000, 48),
    mp3('mp3_44100_32', 44100, 32),
    mp3('mp3_44100_64', 44100, 64),
    mp3('mp3_44100_96', 44100, 96),
    mp3('mp3_44100_128', 44100, 128),
    mp3('mp3_44100_192', 44100, 192),
    opus('opus_48000_32', 32),
    opus('opus_48000_64', 64),
    opus('opus_48000_96', 96),
    opus('opus_48000_128', 128),
    opus('opus_48000_192', 192),
    pcm('pcm_8000', 8000),
    pcm('pcm_16000', 16000),
    pcm('pcm_22050', 22050),
    pcm('pcm_24000', 24000),
    pcm('pcm_32000', 32000),
    pcm('pcm_44100', 44100),
    pcm('pcm_48000', 48000),
    g711('ulaw_8000', 'audio/basic', encodeMulaw),
    wav('wav_16000', 16000),
    wav('wav_22050', 22050),
    wav('wav_24000', 24000),
  ];
  return new Map(formats.map((format) => [format.name, format]));
}

function pcm(name: string, sampleRate: number): AudioFormat {
  return {
    name,
    contentType: 'audio/pcm',
    sampleRate,
    bytesPerSample: 2,
    createEncoder: async () => new Pcm16Encoder(),
  };
}

function wav(name: string, sampleRate: number): AudioFormat {
  return {
    name,
    contentType: 'audio/wav',
    sampleRate,
    createEncoder: async () => new WavEncoder(sampleRate),
    headOfWhole: (fileLength) => wavHeader(sampleRate, fileLength),
  };
}

function opus(name: string, kilobitsPerSecond: number): AudioFormat {
  return {
    name,
    contentType: 'audio/ogg; codecs=opus',
    sampleRate: 48000,
    createEncoder: async () => new OggOpusEncoder(kilobitsPerSecond * 1000),
  };
}

function g711(name: string, contentType: string, encode: typeof encodeMulaw): AudioFormat {
  return {
    name,
    contentType,
    sampleRate: 8000,
    bytesPerSample: 1,
    createEncoder: async () => new G711Encoder(encode),
  };
}
