import type { NoiseReduction } from '../../media/noise/noise-reduction.js';
import type { SpeechToText, StreamingSpeechToText } from '../../media/stt/speech-to-text.js';
import type { Dictionary } from '../../media/text/dictionary/dictionary.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { TurnDetector } from '../../media/turn-detection/turn-detector.js';
import type { VoiceActivity } from '../../media/vad/voice-activity.js';
import type { AgentConfig } from '../contract/agent-config.js';
import type { CallLog, EndedReason } from '../contract/call-log.js';
import type { CallObserver } from '../contract/call-observer.js';
import type { Clock } from '../contract/clock.js';
import type { LanguageModel } from '../contract/language-model.js';
import type { Tools } from '../contract/tools.js';
import type { Transport } from '../contract/transport.js';
import type { SpeechCache } from '../output/speech-cache.js';
import type { Ticker } from '../timing/frame-ticker.js';
import type { FindVoice } from './call-language.js';

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
export interface CallDependencies {
  /** Placeholders in prompt and greeting already filled. */
  readonly config: AgentConfig;
  readonly transport: Transport;
  readonly clock: Clock;
  /** The pulse that all calls share. */
  readonly ticker: Ticker;
  readonly voiceActivity: VoiceActivity;
  /** Used where the config wants it. */
  readonly noiseReduction?: NoiseReduction | undefined;
  readonly turnDetector: TurnDetector;
  readonly recogniser: SpeechToText;
  /** Hears while the caller speaks; the other one then stands in for it. */
  readonly streamingSpeechToText?: StreamingSpeechToText | undefined;
  readonly languageModel: LanguageModel;
  /** Asked in this order when the model does not answer. */
  readonly fallbackModels?: readonly LanguageModel[];
  readonly voice: TextToSpeech;
  /** For a call whose language is found out: who speaks which. */
  readonly findVoice?: FindVoice | undefined;
  /** Speak on, in this order, when the voice fails. */
  readonly fallbackVoices?: readonly TextToSpeech[];
  /** What the agent may do besides talking; ending the call and skipping a turn are not among it. */
  readonly tools?: Tools | undefined;
  /** Says how words are pronounced. */
  readonly dictionary?: Dictionary | undefined;
  /** Speaks fixed texts, which it may have spoken ahead. */
  readonly greetings: Pick<SpeechCache, 'speak'>;
  readonly log: CallLog;
  /** Counts what happens. */
  readonly observer?: CallObserver | undefined;
  readonly onFault: CallFault;
  /** Told once, after the call's parts are closed and its record is written. */
  readonly onEnded: (reason: EndedReason) => void;
}
