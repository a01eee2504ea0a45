import { afterAll } from 'vitest';
import { EncoderThread } from '../../../../media/codec/encoder-thread.js';
import { MODEL_CATALOGUE } from '../../../../media/models/catalogue.js';
import { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { Synthesiser } from '../../../../media/tts/synthesiser.js';
import type { SpeakOptions, SynthesisRequest } from '../../../../media/tts/text-to-speech.js';
import { VoiceRegistry } from '../../../../media/tts/voice-registry.js';
import { createDictionaries } from '../../../../src/composition/features.module.js';
import { LimitSettings } from '../../../../src/config/limits.settings.js';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import { ModelCatalogue } from '../../../../src/features/model-catalogue/model-catalogue.js';
import { speechRoutes } from '../../../../src/features/speech/speech.routes.js';
import { SpeechService } from '../../../../src/features/speech/speech.service.js';
import { SpeechQuota } from '../../../../src/features/speech/speech-quota.js';
import { VoiceCatalogue } from '../../../../src/features/voices/voice-catalogue.js';
import { VoicesRepository } from '../../../../src/features/voices/voices.repository.js';
import { ToneVoice } from '../../fakes/tone-voice.js';
import { type Ask, type ControlPlane, withControlPlane } from './control-plane-app.js';

export const DICTIONARIES = '/tts/pronunciation-dictionaries';

/** Low limits, so that tests can reach them. */
export const LIMITS = {
  DICTIONARY_RULES: 200,
  DICTIONARY_WORD_LENGTH: 200,
  DICTIONARY_REPLACEMENT_LENGTH: 500,
  DICTIONARY_FILE_BYTES: 1_048_576,
};

/** A voice that records its synthesis requests. */
class RecordingVoice extends ToneVoice {
  readonly utterances: SynthesisRequest[] = [];

  override speak(utterance: SynthesisRequest, options: SpeakOptions) {
    this.utterances.push(utterance);
    return super.speak(utterance, options);
  }
}

export interface DictionaryPlane extends ControlPlane {
  readonly voice: RecordingVoice;
}

/** A control plane with dictionaries and the speech endpoints. */
export function withDictionaryPlane(): DictionaryPlane {
  const scheduler = new CpuScheduler(1);
  const encoders = new EncoderThread(scheduler);
  const voice = new RecordingVoice();
  const closing: (() => Promise<void>)[] = [() => encoders.close()];
  const plane = withControlPlane({
    routes: (db) => {
      const references = new AgentsRepository(db);
      const dictionaries = createDictionaries({
        config: { ...LimitSettings.parse({}), ...LIMITS },
        db,
        scheduler,
        references,
      });
      closing.push(() => dictionaries.close());
      const models = new ModelCatalogue({ prefix: 'svc', llmModels: [] });
      const speech = speechRoutes({
        credits: { spendOnSpeech: async () => '0', refund: async () => undefined },
        speech: new SpeechService({
          dictionaries: dictionaries.compiled,
          ownVoices: new VoicesRepository(db),
          voices: new VoiceRegistry([voice]),
          builtinVoices: new VoiceCatalogue(MODEL_CATALOGUE, [voice]),
          models,
          textLimit: 5_000,
        }),
        models,
        synthesiser: new Synthesiser(encoders),
        quota: new SpeechQuota({ total: 64, perAccount: 0 }),
        idleMs: 10_000,
      });
      return [...dictionaries.routes, ...speech];
    },
  });
  afterAll(async () => {
    await Promise.all(closing.map((close) => close()));
  });
  return Object.defineProperties({ voice }, Object.getOwnPropertyDescriptors(plane)) as never;
}

/** Uploads a file as multipart form data. */
export function sendFile(
  ask: Ask,
  file: string | Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = { name: 'from a file' },
) {
  const form = new FormData();
  form.set('file', new Blob([file], { type: 'application/pls+xml' }), 'words.pls');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return ask('POST', `${DICTIONARIES}/add-from-file`, form);
}
