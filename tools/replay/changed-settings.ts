import { z } from 'zod';
import type { AgentConfig } from '../../agents-runtime/contract/agent-config.js';

const seconds = z.coerce
  .number()
  .min(0)
  .max(86_400)
  .transform((value) => Math.round(value * 1000));
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** The turn-taking settings of an agent, by their names in its config. */
const SETTINGS = {
  min_silence_duration: ['minSilenceMs', seconds],
  min_speech_duration: ['minSpeechMs', seconds],
  min_endpointing_delay: ['minEndpointingMs', seconds],
  max_endpointing_delay: ['maxEndpointingMs', seconds],
  vad_activation_threshold: ['vadActivationThreshold', z.coerce.number().min(0).max(1)],
  user_silence_timeout: ['userSilenceTimeoutMs', seconds],
  allow_interruptions: ['allowInterruptions', flag],
  allow_interruptions_on_greeting: ['allowInterruptionsOnGreeting', flag],
  min_interruption_words: ['minInterruptionWords', z.coerce.number().int().min(0).max(10)],
} as const satisfies Readonly<Record<string, readonly [keyof AgentConfig, z.ZodType]>>;

/**
 * Reads `name=value` pairs.
 * @returns the changes, or an error message
 */
export function changedSettings(pairs: readonly string[]): Partial<AgentConfig> | string {
  const changes: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [name = '', value = ''] = pair.split('=');
    if (!Object.hasOwn(SETTINGS, name)) {
      return `--set knows ${Object.keys(SETTINGS).join(', ')}, and not ${name}`;
    }
    const [field, type] = SETTINGS[name as keyof typeof SETTINGS];
    const result = type.safeParse(value);
    if (value === '' || !result.success) return `${name} cannot be ${value || 'nothing'}`;
    changes[field] = result.data;
  }
  return changes;
}
