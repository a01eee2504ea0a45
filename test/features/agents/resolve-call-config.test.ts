import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../src/features/agents/agent.model.js';
import { makeAgentId } from '../../../src/features/agents/agent.model.js';
import { AgentConfigInput } from '../../../src/features/agents/config/agent-config.schema.js';
import { mergeConfig, sealConfig } from '../../../src/features/agents/config/stored-config.js';
import { resolveCallConfig } from '../../../src/features/agents/resolve-call-config.js';
import { ModelCatalogue } from '../../../src/features/model-catalogue/model-catalogue.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';

const box = new SecretBox(new SecretKeys(['the secret of the tests']));
const models = new ModelCatalogue({ prefix: 'svc', llmModels: ['llama', 'other'] });

function effective(config: unknown, kbId: number | null = null) {
  const id = makeAgentId();
  const sealed = sealConfig(AgentConfigInput.parse(config), (text) => box.seal(text, id));
  const now = new Date();
  const agent: Agent = {
    id,
    accountId: '',
    name: 'Ada',
    config: mergeConfig({}, sealed),
    kbId,
    status: 'deployed',
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  return resolveCallConfig(agent, {}, { models, box });
}

describe('resolveCallConfig', () => {
  it('is complete for absent and for null settings', () => {
    const defaults = effective({});
    expect(defaults).toEqual({
      prompt: '',
      greeting: '',
      llmModel: 'llama',
      llmTemperature: 0.7,
      ttsMinSentenceLength: 20,
      voice: {
        voiceId: null,
        language: 'en',
        temperature: 1,
        topP: 0.8,
        dictionaryId: null,
        dictionaryVersion: null,
      },
      minSilenceMs: 550,
      minSpeechMs: 100,
      minEndpointingMs: 500,
      maxEndpointingMs: 3_000,
      vadActivationThreshold: 0.6,
      userSilenceTimeoutMs: 10_000,
      maxCallDurationMs: 900_000,
      allowInterruptions: true,
      allowInterruptionsOnGreeting: false,
      minInterruptionWords: 1,
      autoNoiseReduction: true,
      allowAgentToEndCall: false,
      allowAgentToSkipTurn: false,
      recordingEnabled: true,
      tools: [],
      mcpServers: [],
      knowledgeBaseId: null,
    });
    const fields = Object.keys(AgentConfigInput.shape);
    expect(effective(Object.fromEntries(fields.map((field) => [field, null])))).toEqual(defaults);
  });

  it('distinguishes false, zero and empty from absent', () => {
    const config = effective(
      { allow_interruptions: false, min_interruption_words: 0, vad_activation_threshold: 0 },
      7,
    );
    expect(config).toMatchObject({
      allowInterruptions: false,
      minInterruptionWords: 0,
      vadActivationThreshold: 0,
      knowledgeBaseId: 7,
    });
  });

  it('limits every timer to a day', () => {
    const config = effective({ user_silence_timeout: 1e300, max_call_duration_seconds: 1e300 });
    expect(config.userSilenceTimeoutMs).toBe(86_400_000);
    expect(config.maxCallDurationMs).toBe(86_400_000);
  });

  it('contains decrypted credentials of tools and servers, and the transport of a server', () => {
    const entry = { auth_type: 'bearer_token', auth_token: 't', headers: { 'X-A': 'b' } };
    const url = 'https://a.example/v1/mcp?x=1';
    const config = effective({
      webhooks: { tools: [{ name: 'tool', url: 'https://a.example', ...entry, timeout: 2.5 }] },
      mcp_servers: [
        { name: 'http', url, ...entry },
        { name: 'sse', url: 'https://a.example/mcp/sse' },
      ],
    });
    const authentication = { type: 'bearer_token', token: 't', headers: { 'X-A': 'b' } };
    expect(config.tools).toMatchObject([{ name: 'tool', timeoutMs: 2_500, authentication }]);
    expect(config.mcpServers).toMatchObject([
      { name: 'http', transport: 'streamable-http', authentication },
      { name: 'sse', transport: 'sse', authentication: { type: 'none', token: null, headers: {} } },
    ]);
  });
});
