import type { Language } from '../../../media/languages.js';
import type { Agent } from './agent.model.js';
import type { SettingModels } from './config/settings-table.js';

/** Checks whether the installed and configured models can hold a call in a language. */
export interface LanguageAvailability {
  /**
   * A sentence that says what is missing and which command or setting helps; undefined if nothing is
   * missing.
   */
  problemWith(voice: {
    readonly accountId: string;
    readonly language: Language | 'auto';
    readonly voiceId: string | null;
  }): Promise<string | undefined>;
}

/** The knowledge bases, as far as agents depend on them. */
export interface KnowledgeBaseDirectory {
  exists(accountId: string, kbId: number): Promise<boolean>;
}

/** The model catalogue, as far as agents depend on it. */
export interface AgentModels extends SettingModels {
  readonly llmModels: readonly { readonly id: string }[];
}

/** The SIP state of an agent's number. A failure leaves the agent deployed. */
export interface SipProvisioning {
  readonly sip_status: 'configured' | 'failed';
  readonly sip_details: {
    readonly phone_number: string | null;
    readonly trunk_id: string | null;
    readonly dispatch_rule_id: string | null;
    /** A sentence that says what to do. */
    readonly error: string | null;
  };
}

/** Provisions the phone numbers of agents in a SIP service. */
export interface AgentProvisioner {
  /** Idempotent, never throws; undefined for an agent without a number. */
  provisionAgent(agent: Agent): Promise<SipProvisioning | undefined>;
  /** Idempotent, never throws. */
  deprovisionAgent(agent: Agent): Promise<void>;
}
