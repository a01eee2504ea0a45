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
  readonly #modelFiles: readonly Model[];
  readonly #modelStore: ModelStore;
  readonly #ownVoices: OwnVoices;
  readonly #hasSttProvider: (language: string) => boolean;

  constructor(parts: {
    readonly ownVoices: OwnVoices;
    readonly voices: readonly TextToSpeech[];
    readonly modelFiles: readonly Model[];
    readonly modelStore: ModelStore;
    /** Whether a configured STT provider supports a language. */
    readonly hasSttProvider?: (language: string) => boolean;
  }) {
    this.#voices = parts.voices;
    this.#modelFiles = parts.modelFiles;
    this.#modelStore = parts.modelStore;
    this.#ownVoices = parts.ownVoices;
    this.#hasSttProvider = parts.hasSttProvider ?? (() => false);
  }

  /** Undefined if calls are possible, else a message with the command that helps. */
  async problemWith({ accountId, language, voiceId }: VoiceSelection): Promise<string | undefined> {
    // `auto` starts in English.
    const spoken = language === 'auto' ? 'en' : language;
    const voice = this.#voices.find(({ id }) => id === voiceId);
    if (voice && !voice.languages.includes(spoken)) {
      return `The voice ${voice.id} does not speak ${spoken}: choose another voice, or none for the default voice`;
    }
    // An own voice is never replaced by another voice.
    if (!voice && voiceId && (await this.#ownVoices.find(accountId, voiceId))) {
      return 'The voice of this agent cannot be used, because its cloning failed: choose another voice, or none for the default voice';
    }
    if (!this.#voices.some(({ languages }) => languages.includes(spoken))) {
      return `No installed voice speaks ${spoken}: run "${fetchCommand(`add ${spoken}`)}" and restart the gateway`;
    }
    if (this.#hasSttProvider(spoken) || (await this.#hasSttModel(spoken))) return undefined;
    return spoken === 'en'
      ? `No STT model for en is installed: run "${fetchCommand('fetch moonshine-tiny-en')}" and restart the gateway`
      : `Parley has no local STT model for ${spoken}: set STT_BASE_URL or DEEPGRAM_API_KEY for calls. POST /api/v1/tts/speech supports ${spoken}`;
  }

  async #hasSttModel(language: string): Promise<boolean> {
    const known = this.#modelFiles.filter(
      ({ use, languages }) => use === 'speech recognition' && languages.includes(language),
    );
    const folders = await Promise.all(known.map(({ id }) => this.#modelStore.locate(id)));
    return folders.some((folder) => folder !== undefined);
  }
}
