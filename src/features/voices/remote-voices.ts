import { OpenAiSpeech } from '../../../agents-runtime/providers/openai-speech.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import type { Config } from '../../config/config.js';

export type RemoteVoiceSettings = Pick<
  Config,
  'TTS_BASE_URL' | 'TTS_API_KEY' | 'TTS_MODEL' | 'TTS_VOICES' | 'TTS_LANGUAGES'
>;

/** Prefix of the ids of remote voices. */
export const REMOTE_PREFIX = 'remote-';

/** The voices of the configured speech endpoint, one per voice and language. */
export function remoteVoices(config: RemoteVoiceSettings): readonly TextToSpeech[] {
  const { TTS_BASE_URL: baseUrl, TTS_API_KEY: apiKey, TTS_MODEL: model } = config;
  if (baseUrl === undefined) return [];
  return config.TTS_VOICES.flatMap((voice) =>
    config.TTS_LANGUAGES.map((language) => {
      const id = `${REMOTE_PREFIX}${voice}-${language}`;
      return new OpenAiSpeech({ id, baseUrl, apiKey, model, voice, languages: [language] });
    }),
  );
}
