import type { Language } from '../../media/languages.js';

/** Says whether a call in a language could be held with what is installed and configured. */
export interface LanguageAvailability {
  /**
   * Undefined when it could; else a sentence that says what is missing and which command or setting
   * helps.
   */
  problemWith(voice: {
    readonly accountId: string;
    readonly language: Language | 'auto';
    readonly voiceId: string | null;
  }): Promise<string | undefined>;
}

/** What agents need of the knowledge bases. */
export interface KnowledgeBaseDirectory {
  exists(accountId: string, kbId: number): Promise<boolean>;
}

/** The listing of models, as far as an agent's config depends on it. */
export interface AgentModels {
  /** The id of the first language model of the listing. */
  readonly defaultLlmModel: string;
  /** The `-latest` id of the TTS family that a language asks for; `auto`: the multilingual one. */
  ttsModelFor(language: Language | 'auto'): string;
}
