import { InvalidField, toText } from '../../../platform/http/validation/coerce.js';
import {
  anyDict,
  bool,
  custom,
  dict,
  E164,
  float,
  int,
  oneOf,
  PRINTABLE,
  str,
} from '../../../platform/http/validation/schema-builders.js';
import { keepCredentials } from './credentials.js';
import { ManagedTools } from './managed-tools.schema.js';
import { McpServers, McpServersInput } from './mcp-servers.schema.js';
import type { RuntimeContext, SettingModels, Settings } from './settings-table.js';
import {
  presentMcpServers,
  runtimeMcpServers,
  type StoredMcpServer,
  sealMcpServers,
} from './stored-mcp-servers.js';
import {
  mergeVoice,
  presentVoice,
  runtimeVoice,
  TtsParams,
  TtsParamsInput,
} from './voice-settings.js';
import {
  mergeWebhooks,
  presentWebhooks,
  runtimeTools,
  sealWebhooks,
  Webhooks,
  WebhooksInput,
} from './webhook-settings.js';

const MAX_CONTACTS = 1_000;
const CONTACT_NAME = /^[^\p{Cc}\p{Surrogate}]{1,200}$/u;
const seconds = (description: string) => float({ ge: 0, description: `Seconds. ${description}` });

/**
 * The settings of an agent. The request and response schemas, the stored form, the runtime's
 * configuration, the options of the replay tool and docs/reference/agent-settings.md derive from
 * this table. The names and defaults are part of the public API; changes break existing clients.
 */
export const AGENT_SETTINGS = {
  prompt: {
    schema: str({ max: 200_000, description: 'May contain `{{name}}` placeholders.' }),
    default: '',
    runtime: 'prompt',
    doc: 'Instructions for the LLM.',
  },
  greeting: {
    schema: str({ max: 10_000, description: 'May contain `{{name}}` placeholders.' }),
    default: '',
    runtime: 'greeting',
    doc: "The agent's first words. If it is empty, the agent waits for the caller to speak.",
  },
  llm_temperature: {
    schema: float({ ge: 0, le: 2 }),
    default: 0.7,
    runtime: 'llmTemperature',
    doc: 'Sampling temperature of the LLM.',
  },
  llm_model: {
    schema: str({
      max: 200,
      description: 'An id from `GET /models`. Default: the first one.',
    }),
    runtime: 'llmModel',
    present: (stored: string | undefined, { defaultLlmModel }: SettingModels) =>
      stored ?? defaultLlmModel,
    toRuntime: (id: string | null, { defaultLlmModel }: RuntimeContext) => id || defaultLlmModel,
    doc: 'The LLM that answers.',
  },
  tts_min_sentence_len: {
    schema: int({ ge: 0, description: 'Characters.' }),
    default: 20,
    unit: 'characters',
    runtime: 'ttsMinSentenceLength',
    doc: 'A clause of at least this length is spoken before its sentence is complete.',
  },
  min_silence_duration: {
    schema: seconds('Silence that ends a speech segment.'),
    default: 0.55,
    unit: 's',
    runtime: 'minSilenceMs',
    isReplayable: true,
  },
  min_speech_duration: {
    schema: seconds('Minimum duration of audio that counts as speech.'),
    default: 0.1,
    unit: 's',
    runtime: 'minSpeechMs',
    isReplayable: true,
  },
  user_silence_timeout: {
    schema: seconds(
      'Silence after which the agent asks whether the caller is still there. 0: never.',
    ),
    default: 10,
    unit: 's',
    runtime: 'userSilenceTimeoutMs',
    isReplayable: true,
  },
  max_call_duration_seconds: {
    schema: int({ ge: 1 }),
    default: 900,
    unit: 's',
    runtime: 'maxCallDurationMs',
    doc: 'Maximum duration of a call.',
  },
  allow_interruptions: {
    schema: bool(),
    default: true,
    runtime: 'allowInterruptions',
    isReplayable: true,
    doc: 'The caller can interrupt the agent. Otherwise speech over the agent becomes the next turn.',
  },
  allow_interruptions_on_greeting: {
    schema: bool(),
    default: false,
    runtime: 'allowInterruptionsOnGreeting',
    isReplayable: true,
    doc: 'The caller can interrupt the greeting.',
  },
  min_interruption_words: {
    schema: int({ ge: 0, le: 10, description: '0: any speech interrupts.' }),
    default: 1,
    unit: 'words',
    runtime: 'minInterruptionWords',
    isReplayable: true,
    doc: 'Words of the caller that interrupt the agent.',
  },
  auto_noise_reduction: {
    schema: bool(),
    default: true,
    runtime: 'autoNoiseReduction',
    doc: "Reduces noise in the caller's audio when noise is detected.",
  },
  allow_agent_to_end_call: {
    schema: bool(),
    default: false,
    runtime: 'allowAgentToEndCall',
    doc: 'The LLM can end the call after its goodbye.',
  },
  allow_agent_to_skip_turn: {
    schema: bool(),
    default: false,
    runtime: 'allowAgentToSkipTurn',
    doc: 'The LLM can stay silent and wait for the caller.',
  },
  min_endpointing_delay: {
    schema: seconds('At most `max_endpointing_delay`.'),
    default: 0.5,
    unit: 's',
    runtime: 'minEndpointingMs',
    isReplayable: true,
    doc: 'Delay after speech when the caller has clearly finished.',
  },
  max_endpointing_delay: {
    schema: seconds('Delay if the caller has probably not finished.'),
    default: 3,
    unit: 's',
    runtime: 'maxEndpointingMs',
    isReplayable: true,
  },
  vad_activation_threshold: {
    schema: float({ ge: 0, le: 1 }),
    default: 0.6,
    runtime: 'vadActivationThreshold',
    isReplayable: true,
    doc: 'Probability from which audio counts as speech.',
  },
  phone_number: {
    schema: custom(readPhoneNumber, {
      type: 'string',
      pattern: '^(\\+[1-9]\\d{1,14})?$',
      description: 'E.164. An empty string means no number.',
      examples: ['+14155550100'],
    }),
    response: str({ pattern: E164 }),
    doc: 'Number on which the deployed agent answers and from which it calls.',
  },
  phone_provider: {
    schema: oneOf(['twilio', 'telnyx']),
    default: 'twilio',
    doc: 'The carrier of outbound calls.',
  },
  recording_enabled: {
    schema: bool(),
    default: true,
    runtime: 'recordingEnabled',
    doc: 'Records the calls of the agent.',
  },
  allow_outbound_calling: {
    schema: bool(),
    default: false,
    doc: 'The agent can make calls. Needs `outbound_contacts`.',
  },
  outbound_contacts: {
    schema: dict(str({ pattern: E164 }))
      .refine((contacts) => Object.keys(contacts).length <= MAX_CONTACTS, {
        message: `there must be at most ${MAX_CONTACTS} contacts`,
      })
      .refine((contacts) => Object.keys(contacts).every((name) => CONTACT_NAME.test(name)), {
        message: 'a contact must have a name of 1 to 200 printable characters',
      })
      .meta({
        description:
          'Maps names to numbers in E.164. Must not be empty if outbound calling is allowed. It is an address book, not an allow list: other numbers can be called, too.',
        maxProperties: MAX_CONTACTS,
        propertyNames: { pattern: `^${PRINTABLE}{1,200}$` },
      }),
    default: {},
  },
  managed_tools: {
    schema: ManagedTools,
    default: null,
    doc: 'Tools for a linked Google account.',
  },
  available_voices: {
    schema: anyDict(),
    default: null,
    doc: 'Stored for clients, without effect.',
  },
  category: {
    schema: str({ max: 200 }),
    default: null,
    doc: 'Stored for clients, without effect.',
  },
  playground_visibility: {
    schema: oneOf(['public', 'unlisted']),
    default: null,
    doc: 'Stored for clients, without effect.',
  },
  voice_creator_username: {
    schema: str({ max: 200 }),
    default: null,
    doc: 'Stored for clients, without effect.',
  },
  voice_avatar_url: {
    schema: str({ max: 2_048 }),
    default: null,
    doc: 'Stored for clients, without effect.',
  },
  tts_params: {
    schema: TtsParamsInput,
    response: TtsParams,
    runtime: 'voice',
    merge: mergeVoice,
    present: presentVoice,
    toRuntime: runtimeVoice,
    doc: 'Voice settings, see below. An update merges them field by field.',
  },
  webhooks: {
    schema: WebhooksInput,
    response: Webhooks,
    runtime: 'tools',
    seal: sealWebhooks,
    merge: mergeWebhooks,
    present: presentWebhooks,
    toRuntime: runtimeTools,
    doc: 'Webhooks for events, tools and inbound calls. An update merges them field by field.',
  },
  mcp_servers: {
    schema: McpServersInput,
    response: McpServers,
    runtime: 'mcpServers',
    seal: sealMcpServers,
    merge: keepCredentials<StoredMcpServer>,
    present: presentMcpServers,
    toRuntime: runtimeMcpServers,
    doc: 'MCP servers whose tools the LLM can call.',
  },
} as const satisfies Settings;

/** Any E.164 number. An empty string means no number. */
function readPhoneNumber(value: unknown): string | null | InvalidField {
  const text = toText(value);
  if (text instanceof InvalidField) return text;
  if (text === '') return null;
  if (E164.test(text)) return text;
  const msg = `String should match pattern '${E164.source}'`;
  return new InvalidField('string_pattern_mismatch', msg, { pattern: E164.source });
}
