import type { z } from 'zod';
import { Refused, toText } from '../../../platform/http/validation/coerce.js';
import {
  anyDict,
  bool,
  custom,
  dict,
  E164,
  float,
  int,
  model,
  oneOf,
  PRINTABLE,
  str,
} from '../../../platform/http/validation/schema-builders.js';
import { Webhooks, WebhooksInput } from './agent-webhooks.schema.js';
import { ManagedTools } from './managed-tools.schema.js';
import { McpServers, McpServersInput } from './mcp-servers.schema.js';
import { nullableShape, optionalShape } from './secret-fields.js';
import { TtsParams, TtsParamsInput } from './voice-settings.schema.js';

/** What a field means that was left out or is null; Source: the samples of the API's reference. */
export const CONFIG_DEFAULTS = {
  prompt: '',
  greeting: '',
  llm_temperature: 0.7,
  tts_min_sentence_len: 20,
  min_silence_duration: 0.55,
  min_speech_duration: 0.1,
  user_silence_timeout: 10,
  max_call_duration_seconds: 900,
  allow_interruptions: true,
  allow_interruptions_on_greeting: false,
  min_interruption_words: 1,
  auto_noise_reduction: true,
  allow_agent_to_end_call: false,
  allow_agent_to_skip_turn: false,
  min_endpointing_delay: 0.5,
  max_endpointing_delay: 3,
  vad_activation_threshold: 0.6,
  phone_number: null,
  phone_provider: 'twilio',
  recording_enabled: true,
  allow_outbound_calling: false,
  outbound_contacts: {},
  managed_tools: null,
  available_voices: null,
  category: null,
  playground_visibility: null,
  voice_creator_username: null,
  voice_avatar_url: null,
} as const;

const MAX_CONTACTS = 1_000;
const CONTACT_NAME = /^[^\p{Cc}\p{Surrogate}]{1,200}$/u;
const seconds = (description: string) => float({ ge: 0, description: `Seconds. ${description}` });

/** The fields whose form is the same in requests and answers. */
const PLAIN_FIELDS = {
  prompt: str({ max: 200_000, description: 'May hold `{{name}}` placeholders.' }),
  greeting: str({ max: 10_000, description: 'May hold `{{name}}` placeholders.' }),
  llm_temperature: float({ ge: 0, le: 2 }),
  llm_model: str({
    max: 200,
    description: 'An id of the models listing; the default is its first.',
  }),
  tts_min_sentence_len: int({ ge: 0, description: 'Characters.' }),
  min_silence_duration: seconds('Silence that ends a stretch of speech.'),
  min_speech_duration: seconds('Sound that counts as speech.'),
  user_silence_timeout: seconds('Silence after which the agent asks; 0: never.'),
  max_call_duration_seconds: int({ ge: 1 }),
  allow_interruptions: bool(),
  allow_interruptions_on_greeting: bool(),
  min_interruption_words: int({ ge: 0, le: 10, description: '0: any speech interrupts.' }),
  auto_noise_reduction: bool(),
  allow_agent_to_end_call: bool(),
  allow_agent_to_skip_turn: bool(),
  min_endpointing_delay: seconds('At most `max_endpointing_delay`.'),
  max_endpointing_delay: seconds('The wait when the caller seems not to have finished.'),
  vad_activation_threshold: float({ ge: 0, le: 1 }),
  phone_provider: oneOf(['twilio', 'telnyx']),
  recording_enabled: bool(),
  allow_outbound_calling: bool(),
  outbound_contacts: dict(str({ pattern: E164 }))
    .refine((contacts) => Object.keys(contacts).length <= MAX_CONTACTS, {
      message: `there must be at most ${MAX_CONTACTS} contacts`,
    })
    .refine((contacts) => Object.keys(contacts).every((name) => CONTACT_NAME.test(name)), {
      message: 'a contact must have a name of 1 to 200 printable characters',
    })
    .meta({
      description:
        'Name → number in E.164; not empty when outbound calling is allowed. An address book and no allow-list: calls may go to any other number too.',
      maxProperties: MAX_CONTACTS,
      propertyNames: { pattern: `^${PRINTABLE}{1,200}$` },
    }),
  managed_tools: ManagedTools,
  available_voices: anyDict(),
  category: str({ max: 200 }),
  playground_visibility: oneOf(['public', 'unlisted']),
  voice_creator_username: str({ max: 200 }),
  voice_avatar_url: str({ max: 2_048 }),
};

/** The whole config of an agent in a request; every field may be left out or null. */
export const AgentConfigInput = model({
  ...optionalShape(PLAIN_FIELDS, CONFIG_DEFAULTS),
  phone_number: custom(readPhoneNumber, {
    type: 'string',
    pattern: '^(\\+[1-9]\\d{1,14})?$',
    description: 'E.164; an empty string is no number.',
    examples: ['+14155550100'],
  })
    .nullable()
    .optional(),
  tts_params: TtsParamsInput.nullable().optional(),
  webhooks: WebhooksInput.nullable().optional(),
  mcp_servers: McpServersInput.nullable().optional(),
}).meta({ id: 'AgentConfigInput' });
export type AgentConfigInput = z.output<typeof AgentConfigInput>;

/** The whole config of an agent in an answer: every field, and no secret. */
export const AgentConfigOutput = model({
  ...nullableShape(PLAIN_FIELDS),
  phone_number: str({ pattern: E164 }).nullable(),
  tts_params: TtsParams.nullable(),
  webhooks: Webhooks.nullable(),
  mcp_servers: McpServers.nullable(),
}).meta({ id: 'AgentConfig' });
export type AgentConfigOutput = z.output<typeof AgentConfigOutput>;

/** E.164 by its form alone; an empty string is no number. */
function readPhoneNumber(value: unknown): string | null | Refused {
  const text = toText(value);
  if (text instanceof Refused) return text;
  if (text === '') return null;
  if (E164.test(text)) return text;
  const msg = `String should match pattern '${E164.source}'`;
  return new Refused('string_pattern_mismatch', msg, { pattern: E164.source });
}
