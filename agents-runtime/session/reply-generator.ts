import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { TurnEvent } from '../contract/turn-events.js';
import { speakFixedText } from '../output/speech-cache.js';
import type { SpokenChunk } from '../output/spoken-text-alignment.js';
import { fixedTextTokens, synthesiseReply, ttsSettingsOf } from '../output/tts-pipeline.js';
import { withFillers } from '../reply/fillers.js';
import { guardReply } from '../reply/reply-guard.js';
import type { SpokenToken } from '../reply/reply-token.js';
import type { ToolExecutor } from '../reply/tool-executor.js';
import { runToolLoop } from '../reply/tool-loop.js';
import type { CallLanguage } from './call-language.js';
import type { GuardedPorts } from './guarded-ports.js';
import type { ReplyRequest, SpeechHandle } from './speech-handle.js';

/** Time limit of a voice apology's audio in milliseconds: the caller has waited already. */
const VOICE_APOLOGY_MS = 2_500;

export interface ReplyGeneratorOptions {
  readonly ports: GuardedPorts;
  /** The current language and its voice. */
  readonly language: CallLanguage;
  readonly tools: ToolExecutor;
  readonly dispatch: (event: TurnEvent) => void;
}

/** Generates the audio of the agent's utterances: replies of the LLM and fixed texts. */
export class ReplyGenerator {
  readonly #options: ReplyGeneratorOptions;
  readonly #notes: string[] = [];

  constructor(options: ReplyGeneratorOptions) {
    this.#options = options;
  }

  /** Adds a note to all later requests to the LLM. */
  addNote(text: string): void {
    this.#notes.push(text);
  }

  /** A reply of the LLM. Its tools run once `speech` is committed. */
  reply(speech: SpeechHandle, request: ReplyRequest): AsyncGenerator<SpokenChunk> {
    return synthesiseReply(this.#tokens(speech, request), {
      ...this.#ttsOptions(speech),
      onFirstToken: () => speech.mark('firstTokenAt'),
      onFirstChunk: () => speech.mark('firstChunkAt'),
      onFirstAudio: () => speech.mark('firstAudioAt'),
    });
  }

  /** A fixed text, from the speech cache if possible. */
  announcement(
    speech: SpeechHandle,
    text: string,
    { isVoiceApology }: { readonly isVoiceApology: boolean },
  ): AsyncGenerator<SpokenChunk> {
    const maxWaitMs = isVoiceApology ? VOICE_APOLOGY_MS : undefined;
    const options = { ...this.#ttsOptions(speech), maxWaitMs };
    return speakFixedText(this.#options.ports.speechCache, text, options);
  }

  /** A dictated text. It is not cached. */
  dictation(speech: SpeechHandle, text: string): AsyncGenerator<SpokenChunk> {
    return synthesiseReply(fixedTextTokens(text), this.#ttsOptions(speech));
  }

  /** The LLM's text with the results of tools, apologies and fillers. */
  #tokens(
    speech: SpeechHandle,
    { text, history: before, language }: ReplyRequest,
  ): AsyncGenerator<SpokenToken> {
    const { ports, tools, dispatch } = this.#options;
    const { config, clock, languageModel, fallbackModels = [] } = ports;
    const { utterance, signal, committed } = speech;
    const timeout = { clock, signal };
    const onFault = (error: unknown) => ports.onFault('reply', error);
    const tokens = runToolLoop(
      {
        prompt: config.prompt,
        history: text === undefined ? before : [...before, { role: 'user', text, cut: false }],
        temperature: config.llmTemperature,
        language,
        knowledgeBaseId: config.knowledgeBaseId,
        onRetrieved: () => speech.mark('retrievedAt'),
        onSources: (sources) => {
          speech.sources = sources;
        },
        ...(this.#notes.length > 0 && { notes: [...this.#notes] }),
      },
      {
        ...timeout,
        models: [languageModel, ...fallbackModels],
        // A reply to the results of tools may be empty.
        mayBeEmpty: text === undefined,
        tools,
        committed,
        onTools: (areRunning) => {
          speech.isToolRunning = areRunning;
        },
        onEnding: (reason) => dispatch({ type: 'ending', utterance, reason }),
        onFault,
        onAnswering: ({ id }) => speech.models.add(id),
      },
    );
    const onReplyFailed = () => this.#onReplyFailed(speech);
    const guarded = guardReply(tokens, { language, signal, onFault, onReplyFailed });
    return withFillers(guarded, {
      ...timeout,
      language,
      quietMs: () => speech.quietMs,
      isToolRunning: () => speech.isToolRunning,
    });
  }

  #onReplyFailed({ utterance }: SpeechHandle): void {
    const { ports, dispatch } = this.#options;
    ports.transport.send({
      type: 'error',
      code: 'REPLY_FAILED',
      message: 'The language model did not answer; the agent apologises.',
    });
    dispatch({ type: 'reply-failed', utterance });
  }

  #ttsOptions(speech: SpeechHandle) {
    const { clock, onFault } = this.#options.ports;
    const currentSettings = () => this.#ttsSettings();
    return {
      ...currentSettings(),
      currentSettings,
      clock,
      signal: speech.signal,
      quietMs: () => speech.quietMs,
      onVoiceFault: (error: unknown) => onFault('speech', error),
      onVoice: ({ id }: TextToSpeech) => speech.voices.add(id),
    };
  }

  /** The settings for the current language. */
  #ttsSettings() {
    const { ports, language: current } = this.#options;
    const { config, dictionary, transport, fallbackVoices = [], findVoice } = ports;
    const { language, voice } = current;
    return {
      ...ttsSettingsOf(config, voice, transport.sampleRate),
      language,
      dictionary,
      // After a change of language the configured voices may not speak the current one.
      fallbackVoices: findVoice
        ? fallbackVoices.filter(({ languages }) => languages.includes(language))
        : fallbackVoices,
    };
  }
}
