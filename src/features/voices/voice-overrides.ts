import { ApiError } from '../../platform/http/api-error.js';
import type { Agent } from '../agents/agent.model.js';
import type { AgentOverrides } from '../agents/config/call-overrides.schema.js';
import { VOICE_SETTINGS } from '../agents/config/voice-settings.js';
import type { BuiltinVoices } from './voice-catalogue.js';

export interface VoiceOverridesParts {
  readonly voices: BuiltinVoices;
  /** The voices that accounts made. None of them can be used yet. */
  readonly ownVoices: { find(accountId: string, id: string): Promise<unknown> };
  /** Throws DICTIONARY_NOT_FOUND, DICTIONARY_VERSION_NOT_FOUND. */
  readonly dictionaries: {
    find(accountId: string, id: string, version: number | null): Promise<unknown>;
  };
}

/** Checks the voice settings that one call overrides, beyond their schema. */
export class VoiceOverrides {
  readonly #parts: VoiceOverridesParts;

  constructor(parts: VoiceOverridesParts) {
    this.#parts = parts;
  }

  /**
   * Does not check whether an STT model supports the language.
   * @throws ApiError VOICE_NOT_FOUND, VOICE_NOT_AVAILABLE, VOICE_LANGUAGE_MISMATCH,
   *   DICTIONARY_NOT_FOUND, DICTIONARY_VERSION_NOT_FOUND
   */
  async check(agent: Agent, overrides: AgentOverrides | null | undefined): Promise<void> {
    const { voice_id, language, dictionary_id, dictionary_version } = overrides?.tts_params ?? {};
    const saved = agent.config.tts_params ?? {};
    if (voice_id !== undefined || language !== undefined) {
      const spoken = language ?? saved.language ?? VOICE_SETTINGS.language.default;
      if (voice_id) await this.#requireVoice(agent.accountId, voice_id);
      this.#requireLanguage(voice_id ?? saved.voice_id ?? '', spoken);
    }
    const dictionaryId = dictionary_id ?? (dictionary_version ? saved.dictionary_id : undefined);
    if (!dictionaryId) return;
    await this.#parts.dictionaries.find(agent.accountId, dictionaryId, dictionary_version ?? null);
  }

  async #requireVoice(accountId: string, id: string): Promise<void> {
    const voice = this.#find(id);
    if (voice?.isInstalled) return;
    if (voice)
      throw new ApiError(
        'VOICE_NOT_AVAILABLE',
        `The voice ${id} is not installed: choose another one`,
      );
    if (await this.#parts.ownVoices.find(accountId, id)) {
      throw new ApiError('VOICE_NOT_AVAILABLE', 'The voice cannot be used: its cloning failed');
    }
    throw new ApiError('VOICE_NOT_FOUND', 'No voice has the voice_id of the overrides');
  }

  /** Accepts a voice of the agent that no longer exists. */
  #requireLanguage(voiceId: string, language: string): void {
    const voice = this.#find(voiceId);
    if (!voice || language === 'auto' || voice.language === language) return;
    throw new ApiError(
      'VOICE_LANGUAGE_MISMATCH',
      `The voice ${voice.id} does not speak ${language}, only ${voice.language}`,
    );
  }

  #find(id: string) {
    return this.#parts.voices.list().find((voice) => voice.id === id);
  }
}
