import type { Model } from '../../../media/models/model.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { fetchCommand } from '../../platform/process/models-command.js';
import { ESPEAK_VOICES } from './espeak-voices.js';
import { REMOTE_PREFIX } from './remote-voices.js';

/** Sample rates by engine in Hz, for voices that are not installed. */
const SAMPLE_RATES: Readonly<Record<string, number>> = {
  hibari: 24_000,
  piper: 22_050,
  formant: 22_050,
};
const LANGUAGE_NAMES = new Intl.DisplayNames(['en'], { type: 'language' });
const SPEECH_SYNTHESIS = 'speech synthesis';

/** Installs the formant voices. */
const INSTALL_FORMANT = 'npm install --include=optional';

/** A voice of the model catalogue, of a remote server or of the formant engine. */
export interface BuiltinVoice {
  readonly id: string;
  readonly name: string;
  /** ISO 639-1. */
  readonly language: string;
  /** Hz. */
  readonly sampleRate: number;
  /** The engine of its model. */
  readonly engine: string;
  /** Whether its model is installed. If not, its status is PENDING and speech requests are refused. */
  readonly isInstalled: boolean;
  /** Whether it is the default voice of its language. */
  readonly isDefault: boolean;
  /** The command that installs it; undefined if it is installed. */
  readonly install?: string | undefined;
}

/** The built-in voices of this installation, installed or not. */
export interface BuiltinVoices {
  list(): readonly BuiltinVoice[];
}

/** A voice without its installation state. */
interface InstallableVoice {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly engine: string;
  /** The command that installs it. */
  readonly install: string;
}

/** All voices of the model catalogue and the formant engine, with their installation state. */
export class VoiceCatalogue implements BuiltinVoices {
  readonly #voices: readonly BuiltinVoice[];

  /** @param open - the loaded voices. The first one of a language is its default */
  constructor(modelFiles: readonly Model[], open: readonly TextToSpeech[]) {
    const neural = modelFiles.filter(({ use }) => use === SPEECH_SYNTHESIS).map(voiceOfModel);
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

/** A remote voice is always available. */
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
