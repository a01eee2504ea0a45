import type { Language } from '../../media/languages.js';

/** How requests to a tool or an MCP server are authenticated. */
export type AuthType = 'none' | 'bearer_token' | 'api_key' | 'custom_headers';

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Decrypted credentials. Never log them. */
export interface Authentication {
  readonly type: AuthType;
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface VoiceSettings {
  /** null: the default voice of the language. */
  readonly voiceId: string | null;
  /** `auto`: the detected language; English without detection. */
  readonly language: Language | 'auto';
  readonly temperature: number;
  readonly topP: number;
  readonly dictionaryId: string | null;
  /** null: the current version. */
  readonly dictionaryVersion: number | null;
}

/** An HTTP endpoint that the agent calls as a tool. */
export interface ToolWebhook {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly method: HttpMethod;
  /** `sync`: the reply waits for the response. `async`: it does not. */
  readonly executionMode: 'sync' | 'async';
  readonly authentication: Authentication;
  /** JSON Schema of the arguments (an object). */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Describes the response to the LLM; not enforced. */
  readonly response: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number;
}

export interface McpServerConfig {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly transport: 'streamable-http' | 'sse';
  readonly authentication: Authentication;
}

/**
 * The agent's settings for a call: defaults are resolved, placeholders filled and secrets decrypted.
 * Times are in ms.
 */
export interface AgentConfig {
  readonly prompt: string;
  /** Empty: the agent waits for the caller to begin. */
  readonly greeting: string;
  readonly llmModel: string;
  readonly llmTemperature: number;
  /** A clause of at least this many characters is spoken before its sentence is complete. */
  readonly ttsMinSentenceLength: number;
  readonly voice: VoiceSettings;
  readonly minSilenceMs: number;
  readonly minSpeechMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
  readonly vadActivationThreshold: number;
  readonly userSilenceTimeoutMs: number;
  readonly maxCallDurationMs: number;
  readonly allowInterruptions: boolean;
  readonly allowInterruptionsOnGreeting: boolean;
  /** 0: any speech interrupts. */
  readonly minInterruptionWords: number;
  readonly autoNoiseReduction: boolean;
  readonly allowAgentToEndCall: boolean;
  readonly allowAgentToSkipTurn: boolean;
  readonly recordingEnabled: boolean;
  readonly tools: readonly ToolWebhook[];
  readonly mcpServers: readonly McpServerConfig[];
  readonly knowledgeBaseId: number | null;
}
