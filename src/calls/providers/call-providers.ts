import type { VoiceSettings } from '../../../agents-runtime/contract/agent-config.js';
import type { FindVoice } from '../../../agents-runtime/contract/find-voice.js';
import type { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import { MediaError } from '../../../media/errors.js';
import { LANGUAGES } from '../../../media/languages.js';
import type { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import type { VoiceRegistry } from '../../../media/tts/voice-registry.js';
import type { Config } from '../../config/config.js';
import type { AgentTools } from '../../features/agent-tools/agent-tools.js';
import type { CompiledDictionaries } from '../../features/dictionaries/compiled-dictionaries.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { CallProviders } from '../session/call-session.js';
import type { ListeningModels } from './listening-models.js';
import type { LlmRegistry } from './llm-registry.js';
import type { SttProviders } from './stt-providers.js';

export interface CallProvidersParts {
  readonly config: Pick<Config, 'REPLAY_DIR'>;
  readonly listeningModels: ListeningModels;
  readonly sttProviders: SttProviders;
  readonly speechCache: SpeechCache;
  readonly voices: VoiceRegistry;
  readonly llmRegistry: Pick<LlmRegistry, 'get' | 'fallbacksFor'>;
  readonly tools: Pick<AgentTools, 'open' | 'prefetch'>;
  readonly dictionaries: CompiledDictionaries;
}

/** Chooses models, tools and dictionaries by the settings of an agent. */
export function createCallProviders(parts: CallProvidersParts): CallProviders {
  const {
    config,
    listeningModels,
    voices,
    sttProviders,
    llmRegistry,
    speechCache,
    tools,
    dictionaries,
  } = parts;
  return {
    ...listeningModels,
    speechCache,
    speechToTextFor: ({ voice }) => sttProviders.speechToTextFor(voice.language),
    // Results of streaming speech recognition are not part of replay files.
    streamingSpeechToTextFor: ({ voice, recordingEnabled }) =>
      config.REPLAY_DIR !== undefined && recordingEnabled
        ? undefined
        : sttProviders.streamingFor(voice.language),
    fallbackVoicesFor: (agent, voice) => fallbackVoices(voices, agent.voice, voice),
    voiceFor: ({ voice }) => voiceFor(voices, voice),
    findVoiceFor: ({ voice }) => voicesFor(voices, voice),
    languageModelFor: (agent) => llmRegistry.get(agent.llmModel),
    fallbackModelsFor: (agent) => llmRegistry.fallbacksFor(agent.llmModel),
    prefetchTools: (agent, agentId) => tools.prefetch(agent, agentId),
    toolsFor: (agent, toolContext) => tools.open(agent, toolContext),
    dictionaryFor: (accountId, { voice }) => dictionaryFor(dictionaries, accountId, voice),
  };
}

/** The agent's voice. If it is not installed: the default voice of its language, or of English. */
function voiceFor(voices: VoiceRegistry, { voiceId, language }: VoiceSettings): TextToSpeech {
  const own = voiceId === null ? undefined : voices.find(voiceId);
  const spoken = language === 'auto' ? 'en' : language;
  const voice = own ?? voices.defaultFor(spoken) ?? voices.defaultFor('en');
  if (!voice)
    throw new MediaError('MODEL_MISSING', 'No voice is installed: run "npm run models -- ensure"');
  return voice;
}

/** The agent's voice for the languages that it speaks, and the default voices of other languages. */
function voicesFor(
  voices: VoiceRegistry,
  { voiceId, language }: VoiceSettings,
): FindVoice | undefined {
  if (language !== 'auto') return undefined;
  const own = voiceId === null ? undefined : voices.find(voiceId);
  return (wanted) => (own?.languages.includes(wanted) ? own : voices.defaultFor(wanted));
}

/** Another voice for each language of the call. */
function fallbackVoices(
  voices: VoiceRegistry,
  { language }: VoiceSettings,
  own: TextToSpeech,
): readonly TextToSpeech[] {
  const spoken = language === 'auto' ? LANGUAGES : [language];
  const others = spoken.flatMap((each) => voices.anotherFor(each, own) ?? []);
  return [...new Set(others)];
}

/** The agent's dictionary. A missing dictionary does not prevent the call. */
async function dictionaryFor(
  dictionaries: CompiledDictionaries,
  accountId: string,
  { dictionaryId, dictionaryVersion }: VoiceSettings,
): Promise<Dictionary | undefined> {
  if (dictionaryId === null) return undefined;
  try {
    return await dictionaries.find(accountId, dictionaryId, dictionaryVersion);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
