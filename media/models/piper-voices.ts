import type { Model } from './model.js';

/** Source: the voice list of the Piper project, release 1.0.0 (sizes and MD5 as published there). */
export const PIPER_VOICES = 'https://huggingface.co/rhasspy/piper-voices/resolve/v1.0.0';

interface PiperVoice {
  readonly id: string;
  readonly language: string;
  readonly folder: string;
  readonly voice: string;
  /** Bytes and MD5 of the graph, its configuration and the model card. */
  readonly files: readonly [
    graph: readonly [number, string],
    config: readonly [number, string],
    card: readonly [number, string],
  ];
}

const VOICES: readonly PiperVoice[] = [
  {
    id: 'piper-ca',
    language: 'ca',
    folder: 'ca/ca_ES/upc_ona/medium',
    voice: 'ca_ES-upc_ona-medium',
    files: [
      [63201294, '58ff3b049b6b721a4c353a551ec5ef3a'],
      [7008, '2340f71d7b29683f746db6e03c0dfabd'],
      [296, '395c782a56632400f46e7c442c7718bb'],
    ],
  },
  {
    id: 'piper-sv',
    language: 'sv',
    folder: 'sv/sv_SE/nst/medium',
    voice: 'sv_SE-nst-medium',
    files: [
      [63104526, '20266cf58e93ca2140444b77398aea04'],
      [5951, 'a370e4dbc4acb86dfab4a43c28939b3c'],
      [306, '4a7cdb8f218a909b2b5e81d1903628da'],
    ],
  },
  {
    id: 'piper-es',
    language: 'es',
    folder: 'es/es_ES/davefx/medium',
    voice: 'es_ES-davefx-medium',
    files: [
      [63201294, 'dc515cd4ecc5f6f72fe14a941188fc9c'],
      [6921, 'e3ea0eebe0f918c3d2430262a4a454ca'],
      [275, '5569c0fb20448308466216428b52f392'],
    ],
  },
  {
    id: 'piper-fr',
    language: 'fr',
    folder: 'fr/fr_FR/siwis/medium',
    voice: 'fr_FR-siwis-medium',
    files: [
      [63201294, '20e876e8c839e9b11a26085858f2300c'],
      [7006, 'ae79606057c9a36af84e3bef86bfffb4'],
      [284, '2b9ea48b15e9e1fd25f95b415caaf66f'],
    ],
  },
  {
    id: 'piper-de',
    language: 'de',
    folder: 'de/de_DE/thorsten/medium',
    voice: 'de_DE-thorsten-medium',
    files: [
      [63201294, 'a129b00fb3078df43c96bab6c94535c0'],
      [6923, '0ba02428e952e6556157df235b740e93'],
      [285, 'e84cf8b09957fccceb068a3c1664d0f3'],
    ],
  },
  {
    id: 'piper-pt',
    language: 'pt',
    folder: 'pt/pt_BR/faber/medium',
    voice: 'pt_BR-faber-medium',
    files: [
      [63201294, 'e0724a2f07965f6523d2a1e96b488a4c'],
      [6969, 'cbd8c19032f775db27d563b3bc3df7c6'],
      [278, 'a81a3840b1749cf34b0e31de1577ef47'],
    ],
  },
  {
    id: 'piper-pl',
    language: 'pl',
    folder: 'pl/pl_PL/gosia/medium',
    voice: 'pl_PL-gosia-medium',
    files: [
      [63201294, 'ecf817530e575025166e454adde1f382'],
      [6920, '82fe5f840c3af4c98e8a1430431ecdbd'],
      [274, 'e1355330fe5fab166e6f2e20af7e91e9'],
    ],
  },
  {
    id: 'piper-ru',
    language: 'ru',
    folder: 'ru/ru_RU/irina/medium',
    voice: 'ru_RU-irina-medium',
    files: [
      [63201294, '21fbe77fdc68bdc35d7adb6bf4f52199'],
      [6846, 'b915de8ef7523207d131bba462be11f3'],
      [271, '397e67453b4ea5a95642673d0debb5ba'],
    ],
  },
  {
    id: 'piper-it',
    language: 'it',
    folder: 'it/it_IT/riccardo/x_low',
    voice: 'it_IT-riccardo-x_low',
    files: [
      [28130791, '2c564b67f6bfaf3ad02d28ab528929b8'],
      [5955, '110a150990a72d9533677b914cb028ce'],
      [260, '3e70f29ab998ac0380edc0cec7395e80'],
    ],
  },
  {
    id: 'piper-nl',
    language: 'nl',
    folder: 'nl/nl_BE/nathalie/medium',
    voice: 'nl_BE-nathalie-medium',
    files: [
      [63201294, 'ab0c38b5f66764b59ad9e3e98b1c2172'],
      [7009, 'ed7e4ab955d9514f4274ad93cafe0618'],
      [284, 'ff335f87ca41a3f89180781498e02635'],
    ],
  },
  {
    id: 'piper-pt-pt',
    language: 'pt',
    folder: 'pt/pt_PT/tugão/medium',
    voice: 'pt_PT-tugão-medium',
    files: [
      [63201294, '0642048511ffe36c3b519520614b53f4'],
      [5026, 'c4113a1da477aa6db28420454c142ebd'],
      [281, 'fcaafaf8d265f5a5b8e83df547f49bfd'],
    ],
  },
];

/** One neural voice for each language other than English; two for Portuguese (Brazil and Portugal). */
export const PIPER_VOICE_MODELS: readonly Model[] = VOICES.map((voice) => ({
  id: voice.id,
  engine: 'piper',
  use: 'speech synthesis',
  languages: [voice.language],
  isDefault: false,
  licence: {
    name: 'MIT; recordings as in MODEL_CARD',
    text: 'MIT',
    copyright: 'Copyright (c) 2022 Michael Hansen',
  },
  notes: `The voice ${voice.voice}. Only an MD5 is published: its SHA-256 is recorded at the first fetch.`,
  files: [
    toFile(`${voice.voice}.onnx`, voice.files[0]),
    toFile(`${voice.voice}.onnx.json`, voice.files[1]),
    toFile('MODEL_CARD', voice.files[2]),
  ],
  sources: [{ type: 'url', base: `${PIPER_VOICES}/${voice.folder}` }],
}));

function toFile(name: string, [bytes, md5]: readonly [number, string]) {
  return { name, bytes, md5 };
}
