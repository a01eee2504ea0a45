import type { AgentConfig } from '../contract/agent-config.js';
import {
  type EndpointingCues,
  type EntityProgress,
  endpointingCuesOf,
} from './endpointing-cues.js';
import type { EntityKind } from './lexicons/turn-lexicon.js';

/** From this probability on, the turn model is sure; between LIKELY and SURE the delay is a little longer. */
const SURE = 0.85;
const LIKELY = 0.5;
/** Doubts: shares of the range from the shortest to the longest delay. Tuned on TUNING_TURNS, see the bench `endpointing`. */
const UNSURE_DOUBT = 0.1;
const UNLIKELY_DOUBT = 0.3;
const COMMA_DOUBT = { likely: 0.1, unlikely: 0.7 };
const HANGING_DOUBT = { sure: 0.35, likely: 0.5, unlikely: 1 };
const ENTITY_DOUBT: Readonly<Record<EntityProgress, readonly [likely: number, unlikely: number]>> =
  {
    awaited: [0.2, 0.6],
    begun: [1, 1],
    enough: [0.22, 0.5],
    complete: [0.06, 0.3],
  };

/** Milliseconds of silence after which the turn model runs, until it is sure. */
export const FIRST_JUDGEMENT_MS = 200;
const ASK_AFTER_MS = [FIRST_JUDGEMENT_MS, 450, 700, 1000, 1400, 2000] as const;

export interface TurnEvidence {
  /** Mean result of the turn model for this pause; undefined before the first. */
  readonly probability: number | undefined;
  /** The final transcript up to this pause; undefined before it arrives. */
  readonly text: string | undefined;
  readonly language: string;
  /** The kind of data that the agent's last words asked for. */
  readonly asked: EntityKind | undefined;
}

/** Doubt that the turn has ended, 0…1, from its audio and its words. */
export function doubtOf({ probability, text, language, asked }: TurnEvidence): number {
  if (probability === undefined) return 1;
  const heard = doubtOfSound(probability);
  if (text === undefined) return heard;
  return Math.max(heard, doubtOfWords(probability, endpointingCuesOf(text, language, asked)));
}

/** Milliseconds of silence after which the turn model runs again; undefined if another run is useless. */
export function nextJudgementMs(
  asks: number,
  probability: number | undefined,
  delayMs: number,
): number | undefined {
  const nextMs = ASK_AFTER_MS[asks];
  if (nextMs === undefined || nextMs >= delayMs || (probability ?? 0) >= SURE) return undefined;
  return nextMs;
}

function doubtOfSound(probability: number): number {
  if (probability >= SURE) return 0;
  // Quadratic, so that the doubt is small just below SURE.
  if (probability >= LIKELY) return UNSURE_DOUBT * ((SURE - probability) / (SURE - LIKELY)) ** 2;
  const share = (LIKELY - probability) / LIKELY;
  return UNSURE_DOUBT + (UNLIKELY_DOUBT - UNSURE_DOUBT) * share;
}

function doubtOfWords(probability: number, { ending, entity }: EndpointingCues): number {
  const isLikely = probability >= LIKELY;
  const byEntity = entity ? ENTITY_DOUBT[entity][isLikely ? 0 : 1] : 0;
  return Math.max(byEntity, doubtOfEnding(probability, ending));
}

function doubtOfEnding(probability: number, ending: EndpointingCues['ending']): number {
  const isLikely = probability >= LIKELY;
  switch (ending) {
    case 'whole':
      return 0;
    case 'open':
      return isLikely ? COMMA_DOUBT.likely : COMMA_DOUBT.unlikely;
    case 'hangs':
      if (!isLikely) return HANGING_DOUBT.unlikely;
      return probability >= SURE ? HANGING_DOUBT.sure : HANGING_DOUBT.likely;
    case 'thinks':
      return 1;
  }
}

/** Delays from the last sample of speech to the commit of the turn, in milliseconds. */
export interface EndpointingDelays {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
}

/**
 * Delay in milliseconds from the last sample of speech to the commit. Both minima count from that
 * sample, so the longer one applies.
 * @param doubt - 0 (shortest delay) to 1 (longest)
 */
export function commitDelayMs(doubt: number, delays: EndpointingDelays): number {
  const { minEndpointingMs, maxEndpointingMs, minSilenceMs } = delays;
  return Math.max(minSilenceMs, minEndpointingMs + (maxEndpointingMs - minEndpointingMs) * doubt);
}

/** An endpointing setting without effect, and the setting that overrides it. */
export interface IneffectiveSetting {
  readonly setting: 'min_endpointing_delay' | 'max_endpointing_delay' | 'min_silence_duration';
  readonly by: 'min_endpointing_delay' | 'min_silence_duration';
}

type Delays = Pick<AgentConfig, 'minSilenceMs' | 'minEndpointingMs' | 'maxEndpointingMs'>;

/** The settings without effect: of the two minima, only the longer one applies. */
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
