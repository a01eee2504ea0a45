import { join } from 'node:path';
import { FormantPhonemizer } from '../../../../media/formant/formant-phonemizer.js';
import { FormantProcess, locateFormantEngine } from '../../../../media/formant/formant-process.js';
import type { CpuPermits } from '../../../../media/inference/cpu-permits.js';
import { PiperVoice } from '../../../../media/inference/piper-voice.js';
import { WorkerLane } from '../../../../media/inference/worker-lane.js';
import { modelFolder } from '../process/model-folder.js';

/** The graph of the Piper voice of the package index. */
export const JOE = join(modelFolder('piper-joe'), 'en_US-joe-medium.onnx');
export const JOE_CONFIG = `${JOE}.json`;

/** The formant engine's process. @throws where the optional package is not installed. */
export function startFormantProcess(): FormantProcess {
  const engineFile = locateFormantEngine();
  if (engineFile) return new FormantProcess(engineFile);
  throw new Error('The optional package of the formant engine is not installed: run npm ci');
}

/** That voice, with phonemes of that process. */
export function openJoe(engine: FormantProcess, permits: CpuPermits, cutFolder?: string) {
  return PiperVoice.open({
    id: 'piper-joe',
    language: 'en',
    phonemizer: new FormantPhonemizer(engine, new WorkerLane(permits)),
    permits,
    modelFile: JOE,
    configFile: JOE_CONFIG,
    cutFolder,
  });
}
