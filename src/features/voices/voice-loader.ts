import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Model } from '../../../media/models/model.js';
import type { ModelStore } from '../../../media/models/store.js';
import type { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { EspeakVoice } from '../../../media/tts/espeak/espeak-voice.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import type { Phonemizer } from '../../../media/tts/phonemizer.js';
import { PiperVoice } from '../../../media/tts/piper/piper-voice.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { createEspeakVoices } from './espeak-voices.js';

/** The required voice: the default for English. */
const DEFAULT_VOICE = 'hibari-heart';

export interface VoiceLoaderParts {
  readonly modelStore: ModelStore;
  readonly modelFiles: readonly Model[];
  readonly scheduler: CpuScheduler;
  /** `off` disables the formant engine even if it is installed. */
  readonly formant: 'auto' | 'off';
  /** Voices of remote servers. */
  readonly remote?: readonly TextToSpeech[];
}

/** The loaded voices. */
export interface LoadedVoices {
  /** The default voice first. Per language, neural voices first and the formant voice last. */
  readonly voices: readonly TextToSpeech[];
  /** Warms the default voices of all languages, except the first voice. Failures are logged. */
  warmRest(log: Logger): Promise<void>;
  close(): Promise<void>;
}

/**
 * Loads every installed voice.
 * @throws MediaError MODEL_MISSING if the default voice is not installed
 */
export async function loadVoices(parts: VoiceLoaderParts): Promise<LoadedVoices> {
  const formant = parts.formant === 'off' ? undefined : createEspeakVoices(parts.scheduler);
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

async function openHibariVoices(parts: VoiceLoaderParts): Promise<readonly TextToSpeech[]> {
  const { modelStore, modelFiles, scheduler } = parts;
  const folder = await modelStore.require(DEFAULT_VOICE);
  const shared = { folder, scheduler, preparedFolder: modelStore.preparedFolder };
  const voices: TextToSpeech[] = [new HibariVoice({ ...shared, id: DEFAULT_VOICE })];
  for (const model of modelFiles) {
    if (model.engine !== 'hibari' || model.id === DEFAULT_VOICE) continue;
    const own = await modelStore.locate(model.id);
    if (own === undefined) continue;
    const modelFile = join(own, model.files[0]!.name);
    const dialect = model.notes?.startsWith('British') ? 'gb' : 'us';
    voices.push(new HibariVoice({ ...shared, id: model.id, modelFile, dialect }));
  }
  return voices;
}

/** Piper voices need the phonemizer of the formant engine. */
async function openPiperVoices(
  { modelStore, modelFiles, scheduler }: VoiceLoaderParts,
  phonemizer: Phonemizer,
): Promise<readonly TextToSpeech[]> {
  const voices: TextToSpeech[] = [];
  for (const { id, engine, languages, files } of modelFiles) {
    const graph = files.find(({ name }) => name.endsWith('.onnx'));
    const folder = engine === 'piper' ? await modelStore.locate(id) : undefined;
    if (!folder || !graph) continue;
    const modelFile = join(folder, graph.name);
    const configFile = `${modelFile}.json`;
    const language = languages[0]!;
    voices.push(
      await PiperVoice.open({
        id,
        language,
        phonemizer,
        scheduler,
        modelFile,
        configFile,
        preparedFolder: modelStore.preparedFolder,
      }),
    );
  }
  return voices;
}

/** The default voice of each language, and one formant voice, as these share a process. */
function voicesToWarm(voices: readonly TextToSpeech[]): readonly TextToSpeech[] {
  const [first] = voices;
  const formant = voices.find((voice) => voice instanceof EspeakVoice);
  const neural = voices.filter(
    (voice) =>
      !(voice instanceof EspeakVoice) &&
      voices.find(({ languages }) => languages.includes(voice.languages[0]!)) === voice,
  );
  return [...(formant ? [formant] : []), ...neural].filter((voice) => voice !== first);
}

/** Warms one voice at a time, to leave CPU for calls. */
async function warmAll(voices: readonly TextToSpeech[], log: Logger): Promise<void> {
  for (const voice of voices) {
    try {
      await voice.warm();
    } catch (err) {
      log.warn({ err, voice: voice.id }, 'Cannot warm a voice');
    }
  }
}
