import {
  type EndpointingCues,
  type EntityProgress,
  endpointingCuesOf,
} from './endpointing-cues.js';
import type { EntityKind } from './word-lists/turn-words.js';

/** The turn detector is sure from here; from `LIKELY` on, the turn needs a little more silence. */
const SURE = 0.85;
const LIKELY = 0.5;
/** Doubt: 0 gives the shortest delay, 1 the longest. Tuned on TUNING_TURNS, see the bench `endpointing`. */
const UNSURE_DOUBT = 0.1;
const UNLIKELY_DOUBT = 0.3;
const COMMA_DOUBT = { likely: 0.1, unlikely: 0.7 };
const INCOMPLETE_DOUBT = { sure: 0.35, likely: 0.5, unlikely: 1 };
const ENTITY_DOUBT: Readonly<Record<EntityProgress, readonly [likely: number, unlikely: number]>> =
  {
    missing: [0.2, 0.6],
    partial: [1, 1],
    plausible: [0.22, 0.5],
    complete: [0.06, 0.3],
  };

/** Silence after which the turn detector runs, ms, until it is sure. */
export const FIRST_JUDGEMENT_MS = 200;
const JUDGEMENTS_MS = [FIRST_JUDGEMENT_MS, 450, 700, 1000, 1400, 2000] as const;

export interface TurnEvidence {
  /** Mean of the turn detector's results for this pause, 0…1; undefined without a result. */
  readonly probability: number | undefined;
  /** The final transcript up to this pause, or an interim one when a reply is prepared; undefined without one. */
  readonly text: string | undefined;
  readonly language: string;
  /** What the agent's last words asked for. */
  readonly expectedEntity: EntityKind | undefined;
}

/** The doubt that the turn is over, 0…1, from its audio and its words. */
export function doubtOf({ probability, text, language, expectedEntity }: TurnEvidence): number {
  if (probability === undefined) return 1;
  const byAudio = doubtOfAudio(probability);
  if (text === undefined) return byAudio;
  const cues = endpointingCuesOf(text, language, expectedEntity);
  return Math.max(byAudio, doubtOfWords(probability, cues));
}

/** Silence after which the turn detector runs again, ms; undefined if a further result changes nothing. */
export function nextJudgementMs(
  requests: number,
  probability: number | undefined,
  delayMs: number,
): number | undefined {
  const nextMs = JUDGEMENTS_MS[requests];
  if (nextMs === undefined || nextMs >= delayMs || (probability ?? 0) >= SURE) return undefined;
  return nextMs;
}

function doubtOfAudio(probability: number): number {
  if (probability >= SURE) return 0;
  // Squared, so that the doubt is small near SURE.
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
    case 'complete':
      return 0;
    case 'comma':
      return isLikely ? COMMA_DOUBT.likely : COMMA_DOUBT.unlikely;
    case 'incomplete':
      if (!isLikely) return INCOMPLETE_DOUBT.unlikely;
      return probability >= SURE ? INCOMPLETE_DOUBT.sure : INCOMPLETE_DOUBT.likely;
    case 'filler':
      return 1;
  }
}

/** Agent settings, in ms after the last sample of speech. */
export interface EndpointingDelays {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
}

/**
 * Delay between the last sample of speech and the commit, ms. The larger of the two minima counts.
 * @param doubt - 0 gives the shortest delay, 1 the longest
 */
export function commitDelayMs(doubt: number, delays: EndpointingDelays): number {
  const { minEndpointingMs, maxEndpointingMs, minSilenceMs } = delays;
  return Math.max(minSilenceMs, minEndpointingMs + (maxEndpointingMs - minEndpointingMs) * doubt);
}

/** An endpointing setting without effect, because another one (`by`) is larger. */
export interface IneffectiveSetting {
  readonly setting: 'min_endpointing_delay' | 'max_endpointing_delay' | 'min_silence_duration';
  readonly by: 'min_endpointing_delay' | 'min_silence_duration';
}

/** Settings without effect: a turn is committed at the longer of its two minima. */
export function ineffectiveSettings(delays: EndpointingDelays): readonly IneffectiveSetting[] {
  const { minSilenceMs, minEndpointingMs, maxEndpointingMs } = delays;
  const ineffective: IneffectiveSetting[] = [];
  if (minEndpointingMs < minSilenceMs) {
    ineffective.push({ setting: 'min_endpointing_delay', by: 'min_silence_duration' });
  }
  if (maxEndpointingMs < minSilenceMs) {
    ineffective.push({ setting: 'max_endpointing_delay', by: 'min_silence_duration' });
  }
  if (minSilenceMs < minEndpointingMs) {
    ineffective.push({ setting: 'min_silence_duration', by: 'min_endpointing_delay' });
  }
  return ineffective;
}
