import type { EndedReason } from '../contract/ended-reason.js';
import type { AnnouncementKind } from '../contract/turn-events.js';
import { stockPhrasesIn } from './phrases/registry.js';
import type { StockPhrases } from './phrases/stock-phrases.js';

/** The text of a stock phrase. The greeting comes from the agent's config instead. */
export function phraseText({ kind, reason, times }: StockPhraseRequest, language: string): string {
  const phrases = stockPhrasesIn(language);
  switch (kind) {
    case 'prompt':
      return phrases.prompts[times === 0 ? 0 : 1];
    case 'warning':
      return phrases.warning;
    case 'no-audio':
      return phrases.noAudio;
    case 'no-transcript':
      return phrases.notUnderstood;
    case 'voice-apology':
      return phrases.voiceApology;
    case 'goodbye':
      return goodbye(phrases, reason);
  }
}

export interface StockPhraseRequest {
  readonly kind: Exclude<AnnouncementKind, 'greeting' | 'dictated'>;
  /** Why the call ends, for a goodbye. */
  readonly reason: EndedReason | undefined;
  /** How often this phrase was spoken before in the call. */
  readonly times: number;
}

function goodbye({ goodbyes }: StockPhrases, reason: EndedReason | undefined): string {
  if (reason === 'inactivity' || reason === 'error_no_audio_received') return goodbyes.silence;
  if (reason === 'max_duration_reached') return goodbyes.limit;
  return reason?.startsWith('error_') ? goodbyes.fault : goodbyes.other;
}
