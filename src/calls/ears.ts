import type { Logger } from 'pino';
import type { TurnModel } from '../../media/endpointing/turn-model.js';
import type { CpuPermits } from '../../media/inference/cpu-permits.js';
import { MoonshineRecogniser } from '../../media/inference/moonshine-recogniser.js';
import type { Recogniser } from '../../media/inference/recogniser.js';
import { RnnoiseNoiseReduction } from '../../media/inference/rnnoise-noise-reduction.js';
import { SileroVoiceActivity } from '../../media/inference/silero-voice-activity.js';
import { SmartTurn } from '../../media/inference/smart-turn.js';
import type { ModelStore } from '../../media/models/store.js';
import type { NoiseReduction } from '../../media/noise/noise-reduction.js';
import type { VoiceActivity } from '../../media/vad/voice-activity.js';

/** The models that listen. */
export interface Ears {
  readonly voiceActivity: VoiceActivity & { readonly dropped: number };
  /** Without it calls are heard with their noise. */
  readonly noiseReduction?: NoiseReduction;
  readonly turnModel: TurnModel;
  readonly recogniser: Recogniser;
  close(): Promise<void>;
}

/**
 * Opens and warms the models that listen.
 * @throws MediaError MODEL_MISSING when one is not installed.
 */
export async function openEars(store: ModelStore, permits: CpuPermits, log: Logger): Promise<Ears> {
  const recogniserId = 'moonshine-tiny-en';
  const voiceActivity = new SileroVoiceActivity({
    folder: await store.require('silero-vad'),
    onFault: (error) => log.error({ err: error }, 'voice activity failed'),
  });
  const turnModel = new SmartTurn({ folder: await store.require('smart-turn-v3.2'), permits });
  const recogniser = new MoonshineRecogniser({
    id: recogniserId,
    folder: await store.require(recogniserId),
    permits,
  });
  const noiseReduction = new RnnoiseNoiseReduction({
    onFault: (error) => log.error({ err: error }, 'noise reduction failed'),
  });
  const needed = [voiceActivity, turnModel, recogniser];
  const all = [...needed, noiseReduction];
  // Calls do without it: they are heard with their noise then.
  const warming = noiseReduction
    .warm()
    .catch((error: unknown) => log.error({ err: error }, 'noise reduction is not there'));
  await Promise.all([warming, ...needed.map((model) => model.warm())]);
  return {
    voiceActivity,
    noiseReduction,
    turnModel,
    recogniser,
    close: async () => {
      await Promise.all(all.map((model) => model.close()));
    },
  };
}
