import type { Logger } from 'pino';
import { EncoderThread } from '../../media/codec/encoder-thread.js';
import { LANGUAGES } from '../../media/languages.js';
import { MODEL_CATALOGUE } from '../../media/models/catalogue.js';
import type { ModelStore } from '../../media/models/store.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { warmNormaliser } from '../../media/text/normalise/registry.js';
import { loadListeningModels } from '../calls/providers/listening-models.js';
import type { Config } from '../config/config.js';
import { remoteVoices } from '../features/voices/remote-voices.js';
import { loadVoices } from '../features/voices/voice-loader.js';
import type { Shutdown } from '../platform/process/shutdown.js';

export interface MediaParts {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly scheduler: CpuScheduler;
  readonly modelStore: ModelStore;
}

/** One format of each codec that loads or computes something on its first use. */
const WARM_FORMATS = ['mp3', 'opus_48000_64'];

/** Voices, encoders and speech recognition. All are warm, except the voices of other languages. */
export async function createMediaModule(parts: MediaParts) {
  const { config, log, shutdown, scheduler, modelStore } = parts;
  const loaded = await loadVoices({
    modelStore,
    modelFiles: MODEL_CATALOGUE,
    scheduler,
    formant: config.FORMANT,
    remote: remoteVoices(config),
  });
  const { voices } = loaded;
  shutdown.add('voices', () => loaded.close());
  const encoders = new EncoderThread(scheduler, { mp3Program: config.MP3_ENCODER });
  shutdown.add('encoders', () => encoders.close());
  const defaultVoice = voices[0]!.warm();
  // Blocks this thread, so it runs before the server listens. Meanwhile the voice loads on another thread.
  for (const language of LANGUAGES) warmNormaliser(language);
  await defaultVoice;
  await encoders.warm(WARM_FORMATS, voices[0]!.sampleRate);
  // The other voices load in the background, because English does not need them.
  void loaded.warmRest(log);
  shutdown.throwIfRequested();
  const listeningModels = await loadListeningModels(modelStore, scheduler, log);
  shutdown.add('speech recognition', () => listeningModels.close());
  shutdown.throwIfRequested();
  return { voices, encoders, listeningModels };
}
