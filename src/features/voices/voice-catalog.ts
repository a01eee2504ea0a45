import type { Model } from '../../../media/models/model.js';
import { fetchCommand } from '../../../media/models/models-command.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { ESPEAK_VOICES } from './espeak-voices.js';
import { REMOTE_PREFIX } from './remote-voices.js';

/** Hz, by engine: what a voice that is not installed would have. */
const SAMPLE_RATES: Readonly<Record<string, number>> = {
  hibari: 24_000,
  piper: 22_050,
  formant: 22_050,
};
const LANGUAGE_NAMES = new Intl.DisplayNames(['en'], { type: 'language' });
const SPEECH_SYNTHESIS = 'speech synthesis';

/** Where the formant voices come from. */
const INSTALL_FORMANT = 'npm install --include=optional';

/** A voice that comes with a model of the store. */
export interface BuiltinVoice {
  readonly id: string;
  readonly name: string;
  /** ISO 639-1. */
  readonly language: string;
  /** Hz. */
  readonly sampleRate: number;
  /** The kind of model behind it. */
  readonly engine: string;
  /** Whether its model is on this machine; if not, it is PENDING, and speech with it refused. */
  readonly isInstalled: boolean;
  /** Whether it speaks for its language when no voice is named. */
  readonly isDefault: boolean;
  /** The command that installs it, if it is not there. */
  readonly install?: string | undefined;
}

/** The built-in voices of this installation, installed or not. */
export interface BuiltinVoices {
  list(): readonly BuiltinVoice[];
}

/** A voice that could be open here. */
interface InstallableVoice {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly engine: string;
  /** The command that installs it. */
  readonly install: string;
}

/** All voices of the manifest and of the formant engine, and which of them are open here. */
export class VoiceCatalog implements BuiltinVoices {
  readonly #voices: readonly BuiltinVoice[];

  /** @param open the voices that can speak now; the first of a language is its default. */
  constructor(models: readonly Model[], open: readonly TextToSpeech[]) {
    const neural = models.filter(({ use }) => use === SPEECH_SYNTHESIS).map(voiceOfModel);
    const formant = ESPEAK_VOICES.map(
      (voice): InstallableVoice => ({
        ...voice,
        name: `${LANGUAGE_NAMES.of(voice.language) ?? voice.language}, formant`,
        engine: 'formant',
        install: INSTALL_FORMANT,
      }),
    );
    const remote = open.filter(({ id }) => id.startsWith(REMOTE_PREFIX)).map(voiceOfServer);
    this.#voices = [...neural, ...remote, ...formant].map((known) => withState(known, open));
  }

  list(): readonly BuiltinVoice[] {
    return this.#voices;
  }
}

function voiceOfModel({ id, engine, languages, files }: Model): InstallableVoice {
  const language = languages[0]!;
  const name = nameOf(engine === 'piper' ? (files[0]?.name ?? id) : id);
  return { id, name, engine, language, install: fetchCommand(`fetch ${id}`) };
}

/** It is open, so nothing installs it. */
function voiceOfServer({ id, languages }: TextToSpeech): InstallableVoice {
  const language = languages[0]!;
  const name = id.slice(REMOTE_PREFIX.length, -language.length - 1);
  return { id, name, engine: 'remote', language, install: '' };
}

function withState(known: InstallableVoice, open: readonly TextToSpeech[]): BuiltinVoice {
  const { id, name, engine, language, install } = known;
  const voice = open.find((candidate) => candidate.id === id);
  const first = open.find((candidate) => candidate.languages.includes(language));
  return {
    id,
    name,
    language,
    engine,
    sampleRate: voice?.sampleRate ?? SAMPLE_RATES[engine] ?? 0,
    isInstalled: voice !== undefined,
    isDefault: voice !== undefined && first === voice,
    install: voice ? undefined : install,
  };
}

/** `hibari-heart` → `Heart`, `de_DE-thorsten-medium.onnx` → `Thorsten`. */
function nameOf(id: string): string {
  const name = (id.split('-')[1] ?? id).replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
}
