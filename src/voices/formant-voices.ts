import { FormantPhonemizer } from '../../media/formant/formant-phonemizer.js';
import { FormantProcess, locateFormantEngine } from '../../media/formant/formant-process.js';
import { FormantVoice } from '../../media/formant/formant-voice.js';
import type { CpuPermits } from '../../media/inference/cpu-permits.js';
import { WorkerLane } from '../../media/inference/worker-lane.js';
import type { Language } from '../../media/languages.js';
import type { Phonemizer } from '../../media/tts/phonemizer.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';

/** The engine's name for each language; Portuguese is Brazilian, as the neural voice is. */
export const FORMANT_NAMES: Readonly<Record<Language, string>> = {
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

/** Every formant voice, open or not. */
export const FORMANT_VOICES: readonly { readonly id: string; readonly language: Language }[] = (
  Object.keys(FORMANT_NAMES) as Language[]
).map((language) => ({ id: `formant-${language}`, language }));

/** The formant engine: the voices that need no model, in a child process. */
export interface Formant {
  readonly voices: readonly VoiceModel[];
  /** For the neural voices that need phonemes. */
  readonly phonemizer: Phonemizer;
  close(): Promise<void>;
}

/** Undefined where the optional package is not installed. */
export function openFormant(permits: CpuPermits): Formant | undefined {
  const engineFile = locateFormantEngine();
  if (engineFile === undefined) return undefined;
  const process = new FormantProcess(engineFile);
  const lane = new WorkerLane(permits);
  const voices = FORMANT_VOICES.map(
    ({ id, language }) =>
      new FormantVoice({ id, language, voice: FORMANT_NAMES[language], process, lane }),
  );
  return {
    voices,
    phonemizer: new FormantPhonemizer(process, lane),
    close: () => process.close(),
  };
}
