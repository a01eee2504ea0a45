import { join } from 'node:path';
import type { Logger } from 'pino';
import { FormantVoice } from '../../media/formant/formant-voice.js';
import type { CpuPermits } from '../../media/inference/cpu-permits.js';
import { HibariVoice } from '../../media/inference/hibari-voice.js';
import { PiperVoice } from '../../media/inference/piper-voice.js';
import type { Model } from '../../media/models/model.js';
import type { ModelStore } from '../../media/models/store.js';
import type { Phonemizer } from '../../media/tts/phonemizer.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import { openFormant } from './formant-voices.js';

/** The voice that must be there: it speaks English where none is named. */
const DEFAULT_VOICE = 'hibari-heart';

export interface VoiceParts {
  readonly store: ModelStore;
  readonly models: readonly Model[];
  readonly permits: CpuPermits;
  /** `off` leaves the formant engine out even where it is installed. */
  readonly formant: 'auto' | 'off';
  /** Voices outside. */
  readonly remote?: readonly VoiceModel[];
  /** Where what is made of models is kept. */
  readonly cacheDir: string;
}

/** All that can speak now. */
export interface OpenVoices {
  /** The default voice first; of each language the neural ones first and the formant one last. */
  readonly voices: readonly VoiceModel[];
  /** Warms those that speak for a language, but the first; a fault is logged, and met by the first text. */
  warmRest(log: Logger): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens every installed voice that an engine here can run.
 * @throws MediaError MODEL_MISSING when the default voice is not installed.
 */
export async function openVoices(parts: VoiceParts): Promise<OpenVoices> {
  const formant = parts.formant === 'off' ? undefined : openFormant(parts.permits);
  const neural = [
    ...(await openHibariVoices(parts)),
    ...(formant ? await openPiperVoices(parts, formant.phonemizer) : []),
  ];
  const voices = [...neural, ...(parts.remote ?? []), ...(formant?.voices ?? [])];
  return {
    voices,
    warmRest: (log) => warmAll(voicesToWarm(voices), log),
    close: async () => {
      await Promise.all(neural.map((voice) => voice.close()));
      await formant?.close();
    },
  };
}

async function openHibariVoices(parts: VoiceParts): Promise<readonly VoiceModel[]> {
  const { store, models, permits } = parts;
  const folder = await store.require(DEFAULT_VOICE);
  const voices: VoiceModel[] = [new HibariVoice({ id: DEFAULT_VOICE, folder, permits })];
  for (const model of models) {
    if (model.engine !== 'hibari' || model.id === DEFAULT_VOICE) continue;
    const own = await store.locate(model.id);
    if (own === undefined) continue;
    const modelFile = join(own, model.files[0]!.name);
    const dialect = model.notes?.startsWith('British') ? 'gb' : 'us';
    voices.push(new HibariVoice({ id: model.id, folder, modelFile, permits, dialect }));
  }
  return voices;
}

/** Their phonemes come from the formant engine: without it they cannot speak. */
async function openPiperVoices(
  { store, models, permits, cacheDir }: VoiceParts,
  phonemizer: Phonemizer,
): Promise<readonly VoiceModel[]> {
  const voices: VoiceModel[] = [];
  for (const { id, engine, languages, files } of models) {
    const graph = files.find(({ name }) => name.endsWith('.onnx'));
    const folder = engine === 'piper' ? await store.locate(id) : undefined;
    if (!folder || !graph) continue;
    const modelFile = join(folder, graph.name);
    const configFile = `${modelFile}.json`;
    const cutFolder = join(cacheDir, '.cut');
    const language = languages[0]!;
    voices.push(
      await PiperVoice.open({
        id,
        language,
        phonemizer,
        permits,
        modelFile,
        configFile,
        cutFolder,
      }),
    );
  }
  return voices;
}

/** The default voice of each language, and one of the formant engine, which all of them share. */
function voicesToWarm(voices: readonly VoiceModel[]): readonly VoiceModel[] {
  const [first] = voices;
  const formant = voices.find((voice) => voice instanceof FormantVoice);
  const neural = voices.filter(
    (voice) =>
      !(voice instanceof FormantVoice) &&
      voices.find(({ languages }) => languages.includes(voice.languages[0]!)) === voice,
  );
  return [...(formant ? [formant] : []), ...neural].filter((voice) => voice !== first);
}

/** One after the other: callers need the machine too. */
async function warmAll(voices: readonly VoiceModel[], log: Logger): Promise<void> {
  for (const voice of voices) {
    try {
      await voice.warm();
    } catch (err) {
      log.warn({ err, voice: voice.id }, 'a voice cannot be warmed');
    }
  }
}
