import type { Logger } from 'pino';
import { FormantProcess, locateFormantEngine } from '../../media/formant/formant-process.js';
import { FormantVoice } from '../../media/formant/formant-voice.js';
import type { CpuPermits } from '../../media/inference/cpu-permits.js';
import { WorkerLane } from '../../media/inference/worker-lane.js';
import type { Language } from '../../media/languages.js';
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
  /** Starts the process ahead of the first text; a fault is logged, and met again by that text. */
  warm(log: Logger): Promise<void>;
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
    warm: async (log) => {
      try {
        await voices[0]?.warm();
      } catch (err) {
        log.warn({ err }, 'the formant engine does not start');
      }
    },
    close: () => process.close(),
  };
}
