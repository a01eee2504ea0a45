import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import type { EncoderThread } from '../../media/codec/encoder-thread.js';
import { Synthesiser } from '../../media/tts/synthesiser.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import { VoiceRegistry } from '../../media/tts/voice-registry.js';
import type { Config } from '../config/config.js';
import type { AccountsRepository } from '../features/auth/accounts.repository.js';
import type { CompiledDictionaries } from '../features/dictionaries/compiled-dictionaries.js';
import type { ModelCatalogue } from '../features/model-catalogue/model-catalogue.js';
import { speechSockets } from '../features/speech/sockets/speech-sockets.js';
import { speechRoutes } from '../features/speech/speech.routes.js';
import { SpeechService } from '../features/speech/speech.service.js';
import { SpeechQuota } from '../features/speech/speech-quota.js';
import type { VoiceCatalogue } from '../features/voices/voice-catalogue.js';
import type { VoicesRepository } from '../features/voices/voices.repository.js';

export interface SpeechModuleParts {
  readonly config: Config;
  readonly accounts: AccountsRepository;
  readonly ownVoices: VoicesRepository;
  readonly dictionaries: CompiledDictionaries;
  readonly models: ModelCatalogue;
  readonly voiceCatalogue: VoiceCatalogue;
  /** The default voice first. */
  readonly voices: readonly TextToSpeech[];
  readonly encoders: EncoderThread;
}

/** A client that reads none of its audio for this long is disconnected. */
const AUDIO_IDLE_MS = 30_000;

/** Text to speech by HTTP and by WebSocket. */
export function createSpeechModule(parts: SpeechModuleParts) {
  const { config, models } = parts;
  const common = {
    credits: parts.accounts,
    speech: new SpeechService({
      ...parts,
      voices: new VoiceRegistry(parts.voices),
      builtinVoices: parts.voiceCatalogue,
      textLimit: config.TEXT_LIMIT,
    }),
    models,
    synthesiser: new Synthesiser(parts.encoders),
    quota: new SpeechQuota({
      total: config.CONCURRENT_SPEECH,
      perAccount: config.CONCURRENT_SPEECH_PER_ACCOUNT,
    }),
    idleMs: AUDIO_IDLE_MS,
  };
  return {
    routes: speechRoutes(common),
    sockets: speechSockets({
      ...common,
      clock: systemClock,
      textLimit: config.TEXT_LIMIT,
      maxMessageBytes: config.MAX_BODY_BYTES,
    }),
  };
}
