import type { Logger } from 'pino';
import type { ModelStore } from '../../../media/models/store.js';
import type { NoiseReduction } from '../../../media/noise/noise-reduction.js';
import { RnnoiseNoiseReduction } from '../../../media/noise/rnnoise-noise-reduction.js';
import type { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../media/stt/moonshine-speech-to-text.js';
import type { SpeechToText } from '../../../media/stt/speech-to-text.js';
import { SmartTurn } from '../../../media/turn-detection/smart-turn.js';
import type { TurnDetector } from '../../../media/turn-detection/turn-detector.js';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import type { VoiceActivity } from '../../../media/vad/voice-activity.js';

/** The local models for the caller's audio. */
export interface ListeningModels {
  readonly voiceActivity: VoiceActivity & { readonly dropped: number };
  /** Undefined: no noise reduction. */
  readonly noiseReduction?: NoiseReduction;
  readonly turnDetector: TurnDetector;
  readonly speechToText: SpeechToText;
  close(): Promise<void>;
}

/**
 * Loads and warms the local models for the caller's audio.
 * @throws MediaError MODEL_MISSING when one is not installed.
 */
export async function loadListeningModels(
  modelStore: ModelStore,
  scheduler: CpuScheduler,
  log: Logger,
): Promise<ListeningModels> {
  const modelId = 'moonshine-tiny-en';
  const { preparedFolder } = modelStore;
  const voiceActivity = new SileroVoiceActivity({
    folder: await modelStore.require('silero-vad'),
    preparedFolder,
    onFault: (error) => log.error({ err: error }, 'Voice activity detection failed'),
  });
  const turnDetector = new SmartTurn({
    folder: await modelStore.require('smart-turn-v3.2'),
    preparedFolder,
    scheduler,
  });
  const speechToText = new MoonshineSpeechToText({
    id: modelId,
    folder: await modelStore.require(modelId),
    scheduler,
  });
  const noiseReduction = new RnnoiseNoiseReduction({
    onFault: (error) => log.error({ err: error }, 'Noise reduction failed'),
  });
  const needed = [voiceActivity, turnDetector, speechToText];
  const all = [...needed, noiseReduction];
  // Noise reduction is optional.
  const warming = noiseReduction
    .warm()
    .catch((error: unknown) =>
      log.error({ err: error }, 'Cannot load the noise reduction: calls run without it'),
    );
  await Promise.all([warming, ...needed.map((model) => model.warm())]);
  return {
    voiceActivity,
    noiseReduction,
    turnDetector,
    speechToText,
    close: async () => {
      await Promise.all(all.map((model) => model.close()));
    },
  };
}
