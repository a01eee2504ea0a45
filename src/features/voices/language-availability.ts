import type { Model } from '../../../media/models/model.js';
import type { ModelStore } from '../../../media/models/store.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { fetchCommand } from '../../platform/process/models-command.js';

/** The language and voice of an agent. */
export interface VoiceSelection {
  readonly accountId: string;
  readonly language: string;
  readonly voiceId: string | null;
}

/** The voices that accounts made. None of them can be used yet. */
interface OwnVoices {
  find(accountId: string, id: string): Promise<{ readonly name: string } | undefined>;
}

/** Checks whether the installed models support calls in a language. */
export class InstalledLanguages {
  readonly #voices: readonly TextToSpeech[];
  readonly #models: readonly Model[];
  readonly #store: ModelStore;
  readonly #ownVoices: OwnVoices;
  readonly #hasSttProvider: (language: string) => boolean;

  constructor(parts: {
    readonly ownVoices: OwnVoices;
    readonly voices: readonly TextToSpeech[];
    readonly models: readonly Model[];
    readonly store: ModelStore;
    /** Whether a configured STT provider supports a language. */
    readonly hasSttProvider?: (language: string) => boolean;
  }) {
    this.#voices = parts.voices;
    this.#models = parts.models;
    this.#store = parts.store;
    this.#ownVoices = parts.ownVoices;
    this.#hasSttProvider = parts.hasSttProvider ?? (() => false);
  }

  /** Undefined if calls are possible, else a message with the command that helps. */
  async problemWith({ accountId, language, voiceId }: VoiceSelection): Promise<string | undefined> {
    // `auto` starts in English.
    const spoken = language === 'auto' ? 'en' : language;
    const voice = this.#voices.find(({ id }) => id === voiceId);
    if (voice && !voice.languages.includes(spoken)) {
      return `The voice ${voice.id} does not speak ${spoken}: choose another, or none for the default one`;
    }
    // An own voice is never replaced by another voice.
    if (!voice && voiceId && (await this.#ownVoices.find(accountId, voiceId))) {
      return 'The voice of this agent could not be made and cannot speak: choose another, or none for the default one';
    }
    if (!this.#voices.some(({ languages }) => languages.includes(spoken))) {
      return `No installed voice speaks ${spoken}: run "${fetchCommand(`add ${spoken}`)}" and start again`;
    }
    if (this.#hasSttProvider(spoken) || (await this.#hasSttModel(spoken))) return undefined;
    return spoken === 'en'
      ? `No recogniser for en is installed: run "${fetchCommand('fetch moonshine-tiny-en')}" and start again`
      : `No recogniser for ${spoken} can be installed yet, so calls need one outside (STT_BASE_URL or DEEPGRAM_API_KEY); POST /api/v1/tts/speech speaks ${spoken}`;
  }

  async #hasSttModel(language: string): Promise<boolean> {
    const known = this.#models.filter(
      ({ use, languages }) => use === 'speech recognition' && languages.includes(language),
    );
    const folders = await Promise.all(known.map(({ id }) => this.#store.locate(id)));
    return folders.some((folder) => folder !== undefined);
  }
}
