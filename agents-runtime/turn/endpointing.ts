import type { AgentConfig } from '../contract/agent-config.js';
import {
  type EndpointingCues,
  type EntityProgress,
  endpointingCuesOf,
} from './endpointing-cues.js';
import type { EntityKind } from './lexicons/turn-lexicon.js';

/** From here the turn model is sure; between this and the half a little more silence is wanted. */
const SURE = 0.85;
const LIKELY = 0.5;
/** Shares of the way from the shortest to the longest delay. Chosen on TUNING_TURNS, see the bench `endpointing`. */
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

/** Silence after which the turn model is asked, as long as it is not sure. */
export const FIRST_JUDGEMENT_MS = 200;
const ASK_AFTER_MS = [FIRST_JUDGEMENT_MS, 450, 700, 1000, 1400, 2000] as const;

export interface TurnEvidence {
  /** The turn model's answer for this pause, the mean of all; undefined: none yet. */
  readonly probability: number | undefined;
  /** The final transcript up to this pause; undefined: none yet. */
  readonly text: string | undefined;
  readonly language: string;
  /** What the agent's last words asked for. */
  readonly asked: EntityKind | undefined;
}

/** How much speaks against the turn being over, 0…1: what it sounds like and what its words say. */
export function doubtOf({ probability, text, language, asked }: TurnEvidence): number {
  if (probability === undefined) return 1;
  const heard = doubtOfSound(probability);
  if (text === undefined) return heard;
  return Math.max(heard, doubtOfWords(probability, endpointingCuesOf(text, language, asked)));
}

/** When the turn model is asked again: ms of silence, or undefined when there is no use in it. */
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
  // Nearly sure is sure enough: the doubt grows slowly at first.
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

/** How long after the last sample of speech a turn may be committed, in ms. */
export interface EndpointingDelays {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
}

/**
 * The wait by how much speaks against an end: 0 waits the least, 1 the longest. Counted from the last
 * sample of speech, so the two minima do not add up.
 * @param doubt 0…1.
 */
export function commitDelayMs(doubt: number, delays: EndpointingDelays): number {
  const { minEndpointingMs, maxEndpointingMs, minSilenceMs } = delays;
  return Math.max(minSilenceMs, minEndpointingMs + (maxEndpointingMs - minEndpointingMs) * doubt);
}

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
