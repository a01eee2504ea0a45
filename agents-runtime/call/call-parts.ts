import type { TurnModel } from '../../media/endpointing/turn-model.js';
import type { Recogniser } from '../../media/inference/recogniser.js';
import type { NoiseReduction } from '../../media/noise/noise-reduction.js';
import type { Dictionary } from '../../media/tts/dictionary/dictionary.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { VoiceActivity } from '../../media/vad/voice-activity.js';
import type { AgentConfig } from '../agent/agent-config.js';
import type { VoiceFor } from '../agent/call-language.js';
import type { Greetings } from '../agent/greetings.js';
import type { ReplyModel } from '../agent/reply-model.js';
import type { Tools } from '../agent/tools.js';
import type { Ticker } from '../audio/frame-ticker.js';
import type { LiveRecogniser } from '../audio/live-recogniser.js';
import type { Clock } from '../clock.js';
import type { CallLog, EndedReason } from './call-log.js';
import type { CallObserver } from './call-observer.js';
import type { CallTransport } from './transport.js';

/** A fault inside a call. The message holds no words of the call. */
export type CallFault = (
  part:
    | 'noise-reduction'
    | 'recogniser'
    | 'turn-model'
    | 'reply'
    | 'tool'
    | 'speech'
    | 'log'
    /** An exception that no part is made to handle: it ends the call. */
    | 'call',
  error: unknown,
) => void;

/** What a call is made of; all of it is handed in. */
export interface CallParts {
  /** Placeholders in prompt and greeting already filled. */
  readonly config: AgentConfig;
  readonly transport: CallTransport;
  readonly clock: Clock;
  /** The pulse that all calls share. */
  readonly ticker: Ticker;
  readonly voiceActivity: VoiceActivity;
  /** Used where the config wants it. */
  readonly noiseReduction?: NoiseReduction | undefined;
  readonly turnModel: TurnModel;
  readonly recogniser: Recogniser;
  /** Hears while the caller speaks; the other one then stands in for it. */
  readonly liveRecogniser?: LiveRecogniser | undefined;
  readonly replyModel: ReplyModel;
  /** Asked in this order when the model does not answer. */
  readonly fallbackModels?: readonly ReplyModel[];
  readonly voice: VoiceModel;
  /** For a call whose language is found out: who speaks which. */
  readonly voiceFor?: VoiceFor | undefined;
  /** Speak on, in this order, when the voice fails. */
  readonly fallbackVoices?: readonly VoiceModel[];
  /** What the agent may do besides talking; ending the call and skipping a turn are not among it. */
  readonly tools?: Tools | undefined;
  /** Says how words are pronounced. */
  readonly dictionary?: Dictionary | undefined;
  /** Speaks fixed texts, which it may have spoken ahead. */
  readonly greetings: Pick<Greetings, 'speak'>;
  readonly log: CallLog;
  /** Counts what happens. */
  readonly observer?: CallObserver | undefined;
  readonly onFault: CallFault;
  /** Told once, after the call's parts are closed and its record is written. */
  readonly onEnded: (reason: EndedReason) => void;
}
