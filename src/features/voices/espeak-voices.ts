import type { Language } from '../../../media/languages.js';
import { type CpuScheduler, ThreadQueue } from '../../../media/runtime/cpu-scheduler.js';
import { EspeakPhonemizer } from '../../../media/tts/espeak/espeak-phonemizer.js';
import { EspeakProcess, locateEspeak } from '../../../media/tts/espeak/espeak-process.js';
import { EspeakVoice } from '../../../media/tts/espeak/espeak-voice.js';
import type { Phonemizer } from '../../../media/tts/phonemizer.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';

/** The engine's voice for each language. Portuguese is Brazilian, like the neural voice. */
export const ESPEAK_VOICE_NAMES: Readonly<Record<Language, string>> = {
  en: 'en-us',
  ca: 'ca',
  sv: 'sv',
  es: 'es',
  fr: 'fr',
  de: 'de',
  it: 'it',
  pt: 'pt-br',
  pl: 'pl',
  ru: 'ru',
  nl: 'nl',
};

/** All formant voices, installed or not. */
export const ESPEAK_VOICES: readonly { readonly id: string; readonly language: Language }[] = (
  Object.keys(ESPEAK_VOICE_NAMES) as Language[]
).map((language) => ({ id: `formant-${language}`, language }));

/** The formant engine: the voices that need no model, in a child process. */
export interface EspeakVoices {
  readonly voices: readonly TextToSpeech[];
  /** For the neural voices that need phonemes. */
  readonly phonemizer: Phonemizer;
  close(): Promise<void>;
}

/** Undefined if the optional package is not installed. */
export function createEspeakVoices(scheduler: CpuScheduler): EspeakVoices | undefined {
  const engineFile = locateEspeak();
  if (engineFile === undefined) return undefined;
  const process = new EspeakProcess(engineFile);
  const queue = new ThreadQueue(scheduler);
  const voices = ESPEAK_VOICES.map(
    ({ id, language }) =>
      new EspeakVoice({ id, language, voice: ESPEAK_VOICE_NAMES[language], process, queue }),
  );
  return {
    voices,
    phonemizer: new EspeakPhonemizer(process, queue),
    close: () => process.close(),
  };
}
