import type { Model } from './model.js';

/** Source: voices.json and voices.py of the package hibari-tts 0.2.1. */
const VOICES = [
  {
    name: 'emma',
    file: 'bf_emma.int8.onnx',
    bytes: 7936868,
    sha256: 'f709f0488ee63b583a22189a955aaf4257b9806dd330be3490661e53af0a89c1',
    notes: 'British, female.',
  },
  {
    name: 'fenrir',
    file: 'am_fenrir_v2.int8.onnx',
    bytes: 8031158,
    sha256: 'f59fbd87908c91f827bc21b1b89443757b9a8580db9eee20aa948deb731321f4',
    notes: 'American, male.',
  },
  {
    name: 'fable',
    file: 'bm_fable.int8.onnx',
    bytes: 7936868,
    sha256: 'c28529302f2d27cd12f62625c24425888c4e3c2675583100ec530259136b8bc6',
    notes: 'British, male.',
  },
  {
    name: 'kore',
    file: 'af_kore.int8.onnx',
    bytes: 7936868,
    sha256: '346885752673e45d42f9864c9e2432094bc4b6385df060d4b83273da764d2fa9',
    notes: 'American, female.',
  },
] as const;

/** The English voices except the default one. Each uses the text front end of `hibari-heart`. */
export const HIBARI_VOICE_MODELS: readonly Model[] = VOICES.map((voice) => ({
  id: `hibari-${voice.name}`,
  engine: 'hibari',
  use: 'speech synthesis',
  languages: ['en'],
  isDefault: false,
  requires: 'hibari-heart',
  licence: {
    name: 'Apache-2.0',
    text: 'Apache-2.0',
    copyright: 'Copyright 2026 Maureese Williams',
    notice: 'hibari-NOTICE',
  },
  notes: voice.notes,
  files: [{ name: voice.file, bytes: voice.bytes, sha256: voice.sha256 }],
  sources: [
    { type: 'url', base: 'https://huggingface.co/maureesewilliams/hibari/resolve/main/voices' },
  ],
}));
