import type { NoiseReduction } from '../../media/noise/noise-reduction.js';
import type { SpeechToText, StreamingSpeechToText } from '../../media/stt/speech-to-text.js';
import type { Dictionary } from '../../media/text/dictionary/dictionary.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { TurnDetector } from '../../media/turn-detection/turn-detector.js';
import type { VoiceActivity } from '../../media/vad/voice-activity.js';
import type { AgentConfig } from '../contract/agent-config.js';
import type { CallLog } from '../contract/call-log.js';
import type { CallObserver } from '../contract/call-observer.js';
import type { Clock, Ticker } from '../contract/clock.js';
import type { EndedReason } from '../contract/ended-reason.js';
import type { CallFault } from '../contract/errors.js';
import type { FindVoice } from '../contract/find-voice.js';
import type { LanguageModel } from '../contract/language-model.js';
import type { Tools } from '../contract/tools.js';
import type { Transport } from '../contract/transport.js';
import type { SpeechCache } from '../output/speech-cache.js';

/** The ports and settings of one call. */
export interface CallDependencies {
  /** With the placeholders of prompt and greeting filled. */
  readonly config: AgentConfig;
  readonly transport: Transport;
  readonly clock: Clock;
  /** The audio clock that all calls share. */
  readonly ticker: Ticker;
  readonly voiceActivity: VoiceActivity;
  /** Used if `config` enables it. */
  readonly noiseReduction?: NoiseReduction | undefined;
  readonly turnDetector: TurnDetector;
  readonly speechToText: SpeechToText;
  /** Transcribes during speech; `speechToText` is its fallback. */
  readonly streamingSpeechToText?: StreamingSpeechToText | undefined;
  readonly languageModel: LanguageModel;
  /** Used in this order when `languageModel` fails. */
  readonly fallbackModels?: readonly LanguageModel[];
  readonly voice: TextToSpeech;
  /** For the language setting `auto`. Undefined: the call keeps its voice. */
  readonly findVoice?: FindVoice | undefined;
  /** Used in this order when the voice fails. */
  readonly fallbackVoices?: readonly TextToSpeech[];
  /** Webhooks and MCP tools; the built-in tools are added to them. */
  readonly tools?: Tools | undefined;
  /** Pronunciations of words. */
  readonly dictionary?: Dictionary | undefined;
  /** Synthesises fixed texts, if possible from its cache. */
  readonly speechCache: Pick<SpeechCache, 'speak'>;
  readonly callLog: CallLog;
  readonly observers?: readonly CallObserver[];
  readonly onFault: CallFault;
  /** Called once, after the call's stages are closed and its record is written. */
  readonly onEnded: (reason: EndedReason) => void;
}
