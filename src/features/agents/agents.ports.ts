import type { Language } from '../../../media/languages.js';
import type { Agent } from './agent.model.js';
import type { SettingModels } from './config/settings-table.js';

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

/** The model catalog, as far as agents depend on it. */
export interface AgentModels extends SettingModels {
  readonly llmModels: readonly { readonly id: string }[];
}

/** How an agent's telephone line stands; a failure leaves the agent deployed. */
export interface LineState {
  readonly sip_status: 'configured' | 'failed';
  readonly sip_details: {
    readonly phone_number: string | null;
    readonly trunk_id: string | null;
    readonly dispatch_rule_id: string | null;
    /** A sentence that says what to do. */
    readonly error: string | null;
  };
}

/** Telephone lines of agents at a service that has to be told of them. */
export interface AgentLines {
  /** Idempotent, never throws; undefined for an agent without a number. */
  openAgent(agent: Agent): Promise<LineState | undefined>;
  /** Idempotent, never throws. */
  closeAgent(agent: Agent): Promise<void>;
}
