import { z } from 'zod';
import {
  allOrNone,
  baseUrl,
  filePath,
  headerKey,
  languages,
  list,
  url,
  wholeNumber,
} from './setting-types.js';

/** Installed models and the services that replace them: LLM, embeddings, STT and TTS. */
export const ModelSettings = z
  .object({
    MODELS_DIR: filePath().optional().meta({
      description: 'Unpacked model bundle. Searched first, never written.',
    }),
    MODELS_CACHE: filePath().optional().meta({
      defaultText: '`PARLEY_CACHE/models`',
      description: 'Folder of the downloaded models.',
    }),
    MODEL_PREFIX: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'a short word of a-z, 0-9 and hyphens')
      .default('svc')
      .meta({ description: 'Name of the service in the ids of speech models.' }),
    FORMANT: z.enum(['auto', 'off'], { error: 'auto or off' }).default('auto').meta({
      description:
        '`off` disables the formant engine. Languages without a neural voice are then not available.',
    }),
    MP3_ENCODER: z.enum(['wasm', 'lamejs'], { error: 'wasm or lamejs' }).default('wasm').meta({
      description:
        '`lamejs` encodes MP3 without WebAssembly: five times slower, same formats. `mp3_44100_32` always uses WebAssembly.',
    }),
    LLM_BASE_URL: url(['http:', 'https:'], 'an http or https URL').optional().meta({
      description:
        'OpenAI-compatible LLM server. Without an LLM, agents answer with the built-in responder.',
    }),
    LLM_API_KEY: headerKey().optional().meta({ description: 'API key of the LLM server.' }),
    LLM_MODELS: list().default([]).meta({
      description:
        'Models of the LLM server, a comma list. The first one serves agents without `llm_model`. Needs `LLM_BASE_URL`.',
    }),
    LLM_FILE: filePath().optional().meta({
      description:
        'JSON file with several LLM servers: `[{"base_url": "…", "api_key": "…", "models": ["…"], "context_tokens": 8192}]`.',
    }),
    LLM_FALLBACKS: list().default([]).meta({
      description:
        "Models that answer, in this order, when an agent's own model fails or breaks off its reply. A comma list.",
    }),
    LLM_CONTEXT_TOKENS: wholeNumber(2_048, 10_000_000, 'a whole number from 2048')
      .default(16_384)
      .meta({
        unit: 'tokens',
        description:
          'Context window of the models. The oldest part of a longer conversation is dropped. A server in `LLM_FILE` may have its own `context_tokens`.',
      }),
    EMBEDDING_BASE_URL: baseUrl().optional().meta({
      description:
        'Server with an OpenAI-compatible `/embeddings` endpoint for knowledge bases, instead of the local English model. Needs `EMBEDDING_MODEL`.',
    }),
    EMBEDDING_API_KEY: headerKey().optional().meta({
      description: 'API key of the embedding server.',
    }),
    EMBEDDING_MODEL: z
      .string()
      .regex(/^[\w./:@-]{1,200}$/, "a model's name")
      .optional()
      .meta({ description: 'Model of the embedding server.' }),
    EMBEDDING_MODEL_DIR: filePath().optional().meta({
      description:
        'Another local embedding model: a folder with `model.onnx` and `tokenizer.json` in the layout of sentence-transformers. Excludes `EMBEDDING_BASE_URL`.',
    }),
    STT_BASE_URL: baseUrl().optional().meta({
      description:
        'OpenAI-compatible transcription server. The installed STT model is the fallback for English.',
    }),
    STT_API_KEY: headerKey().optional().meta({
      description: 'API key of the transcription server.',
    }),
    STT_MODEL: z.string().default('whisper-1').meta({
      description: 'Model of the transcription server.',
    }),
    STT_LANGUAGES: languages().meta({
      defaultText: 'all',
      description:
        'Languages that the transcription server supports, a comma list of ISO 639-1 codes.',
    }),
    DEEPGRAM_API_KEY: headerKey().optional().meta({
      description:
        'API key of Deepgram, which transcribes while the caller speaks. The other STT models replace it when its connection fails.',
    }),
    DEEPGRAM_BASE_URL: url(['ws:', 'wss:'], 'a ws or wss URL')
      .default('wss://api.deepgram.com')
      .meta({ description: 'WebSocket URL of Deepgram.' }),
    DEEPGRAM_MODEL: z.string().default('nova-3').meta({ description: 'Model of Deepgram.' }),
    DEEPGRAM_LANGUAGES: languages().meta({
      defaultText: 'all',
      description: 'Languages for which Deepgram is used, a comma list of ISO 639-1 codes.',
    }),
    TTS_BASE_URL: baseUrl().optional().meta({
      description:
        'OpenAI-compatible speech server. Its voices are listed as `remote-<voice>-<language>`. It sends no word times: they are estimated from the pace of earlier sentences, with a precision of one or two words.',
    }),
    TTS_API_KEY: headerKey().optional().meta({ description: 'API key of the speech server.' }),
    TTS_MODEL: z.string().default('tts-1').meta({ description: 'Model of the speech server.' }),
    TTS_VOICES: list()
      .refine(
        (names) => names.every((name) => /^[\w.-]{1,64}$/.test(name)),
        'a comma list of names of letters, digits, dots and hyphens',
      )
      .default(['alloy'])
      .meta({ description: 'Voices of the speech server, a comma list.' }),
    TTS_LANGUAGES: languages().meta({
      defaultText: 'all',
      description: 'Languages that the speech server speaks, a comma list of ISO 639-1 codes.',
    }),
  })
  .refine(...allOrNone('EMBEDDING_BASE_URL', 'EMBEDDING_MODEL'))
  .refine(
    (settings) =>
      settings.EMBEDDING_BASE_URL === undefined || settings.EMBEDDING_MODEL_DIR === undefined,
    'EMBEDDING_BASE_URL and EMBEDDING_MODEL_DIR exclude each other: set one',
  )
  .refine(
    ({ LLM_MODELS, LLM_BASE_URL }) => LLM_MODELS.length === 0 || LLM_BASE_URL !== undefined,
    'LLM_MODELS needs LLM_BASE_URL, the URL of the server with these models',
  );
export type ModelSettings = z.output<typeof ModelSettings>;
