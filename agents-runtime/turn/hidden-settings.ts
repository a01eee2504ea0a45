import type { AgentConfig } from '../contract/agent-config.js';

/** A setting of endpointing that changes nothing because another one is stronger. */
export interface IneffectiveSetting {
  readonly setting: 'min_endpointing_delay' | 'max_endpointing_delay' | 'min_silence_duration';
  readonly by: 'min_endpointing_delay' | 'min_silence_duration';
}

type Delays = Pick<AgentConfig, 'minSilenceMs' | 'minEndpointingMs' | 'maxEndpointingMs'>;

/** A turn is committed at the longer of its two minima: whose is the shorter has no say in it. */
export function ineffectiveSettings(config: Delays): readonly IneffectiveSetting[] {
  const { minSilenceMs, minEndpointingMs, maxEndpointingMs } = config;
  const hidden: IneffectiveSetting[] = [];
  if (minEndpointingMs < minSilenceMs) {
    hidden.push({ setting: 'min_endpointing_delay', by: 'min_silence_duration' });
  }
  if (maxEndpointingMs < minSilenceMs) {
    hidden.push({ setting: 'max_endpointing_delay', by: 'min_silence_duration' });
  }
  if (minSilenceMs < minEndpointingMs) {
    hidden.push({ setting: 'min_silence_duration', by: 'min_endpointing_delay' });
  }
  return hidden;
}
