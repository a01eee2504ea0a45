import type { Model } from '../../media/models/model.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { BuiltinVoice, BuiltinVoices } from './builtin-voices.js';

/** Hz, by engine: what a voice that is not installed would have. */
const ENGINE_RATES: Readonly<Record<string, number>> = { hibari: 24_000, piper: 22_050 };
const SPEECH_SYNTHESIS = 'speech synthesis';

/** All voices of the manifest, and which of them are open here. */
export class VoiceCatalogue implements BuiltinVoices {
  readonly #voices: readonly BuiltinVoice[];

  /** @param open the voices that can speak now; the first of a language is its default. */
  constructor(models: readonly Model[], open: readonly VoiceModel[]) {
    this.#voices = models
      .filter(({ use }) => use === SPEECH_SYNTHESIS)
      .map((model) => describe(model, open));
  }

  list(): readonly BuiltinVoice[] {
    return this.#voices;
  }
}

function describe({ id, engine, languages }: Model, open: readonly VoiceModel[]): BuiltinVoice {
  const voice = open.find((candidate) => candidate.id === id);
  const language = languages[0]!;
  const first = open.find((candidate) => candidate.languages.includes(language));
  return {
    id,
    name: nameOf(id),
    language,
    engine,
    sampleRate: voice?.sampleRate ?? ENGINE_RATES[engine] ?? 0,
    isInstalled: voice !== undefined,
    isDefault: voice !== undefined && first === voice,
  };
}

/** `hibari-heart` → `Heart`. */
function nameOf(id: string): string {
  const name = id.slice(id.indexOf('-') + 1);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
