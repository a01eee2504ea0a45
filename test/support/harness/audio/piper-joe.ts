import { join } from 'node:path';
import { type CpuScheduler, ThreadQueue } from '../../../../media/runtime/cpu-scheduler.js';
import { EspeakPhonemizer } from '../../../../media/tts/espeak/espeak-phonemizer.js';
import { EspeakProcess, locateEspeak } from '../../../../media/tts/espeak/espeak-process.js';
import { PiperVoice } from '../../../../media/tts/piper/piper-voice.js';
import { modelFolder } from '../process/model-folder.js';

/** Model file of the Piper voice `piper-joe`. */
export const JOE = join(modelFolder('piper-joe'), 'en_US-joe-medium.onnx');
export const JOE_CONFIG = `${JOE}.json`;

/** Starts the eSpeak process. @throws if the optional package is not installed */
export function startFormantProcess(): EspeakProcess {
  const engineFile = locateEspeak();
  if (engineFile) return new EspeakProcess(engineFile);
  throw new Error('The optional package of the formant engine is not installed: run npm ci');
}

/** Opens the voice `piper-joe` with phonemes of `engine`. */
export function openJoe(engine: EspeakProcess, scheduler: CpuScheduler, preparedFolder?: string) {
  return PiperVoice.open({
    id: 'piper-joe',
    language: 'en',
    phonemizer: new EspeakPhonemizer(engine, new ThreadQueue(scheduler)),
    scheduler,
    modelFile: JOE,
    configFile: JOE_CONFIG,
    preparedFolder,
  });
}
