import type { Logger } from 'pino';
import { EncoderThread } from '../../media/codec/encoder-thread.js';
import { LANGUAGES } from '../../media/languages.js';
import { MODEL_CATALOGUE } from '../../media/models/catalogue.js';
import type { ModelStore } from '../../media/models/store.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { warmNormaliser } from '../../media/text/normalise/registry.js';
import type { Config } from '../config/config.js';
import { remoteVoices } from '../features/voices/remote-voices.js';
import { loadVoices } from '../features/voices/voice-loader.js';
import type { Shutdown } from '../platform/process/shutdown.js';

/** One format of each codec that has something to load or to compute first. */
const WARM_FORMATS = ['mp3', 'opus_48000_64'];

export interface SpeechNeeds {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly scheduler: CpuScheduler;
  readonly store: ModelStore;
}

/** Opens the voices and the encoders; the default voice is warm when this resolves. */
export async function openSpeech({ config, log, shutdown, scheduler, store }: SpeechNeeds) {
  const open = await loadVoices({
    store,
    models: MODEL_CATALOGUE,
    scheduler,
    formant: config.FORMANT,
    remote: remoteVoices(config),
  });
  const { voices } = open;
  shutdown.add('voices', () => open.close());
  const encoders = new EncoderThread(scheduler, { mp3Program: config.MP3_ENCODER });
  shutdown.add('encoders', () => encoders.close());
  const defaultVoice = voices[0]!.warm();
  // Before anybody is served, as it holds the thread; the voice loads on another one.
  for (const language of LANGUAGES) warmNormaliser(language);
  await defaultVoice;
  await encoders.warm(WARM_FORMATS, voices[0]!.sampleRate);
  // No one waits for them: English does not need them.
  void open.warmRest(log);
  shutdown.proceed();
  return { voices, encoders };
}
