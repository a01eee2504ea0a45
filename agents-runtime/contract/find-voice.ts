import type { TextToSpeech } from '../../media/tts/text-to-speech.js';

/** The port for a voice of a language (ISO 639-1). Returns undefined without one. */
export type FindVoice = (language: string) => TextToSpeech | undefined;
