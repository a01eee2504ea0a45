import { linkedAbort } from '../../media/stream/linked-abort.js';
import { guardReply } from '../agent/reply-guard.js';
import type { HistoryItem } from '../agent/reply-model.js';
import { speakReply } from '../agent/speech.js';
import type { Playout } from '../audio/playout.js';
import type { CallParts } from './call-parts.js';

interface Prepared {
  readonly utterance: number;
  readonly text: string;
  readonly work: AbortController;
  firstTokenAt: number | undefined;
  firstAudioAt: number | undefined;
}

/** Makes what the agent says: a reply ahead of its commit or at it, the greeting; one at a time. */
export class Replies {
  readonly #parts: CallParts;
  readonly #playout: Playout;
  #current: Prepared | undefined;
  #isReleased = false;

  constructor(parts: CallParts, playout: Playout) {
    this.#parts = parts;
    this.#playout = playout;
  }

  /** When the utterance's first word came and its first sound, clock ms. */
  marksOf(utterance: number): { firstTokenAt?: number; firstAudioAt?: number } {
    if (this.#current?.utterance !== utterance) return {};
    const { firstTokenAt, firstAudioAt } = this.#current;
    return {
      ...(firstTokenAt !== undefined && { firstTokenAt }),
      ...(firstAudioAt !== undefined && { firstAudioAt }),
    };
  }

  /** Starts a reply that stays silent until `commit` asks for the same text. */
  prepare(utterance: number, text: string, history: readonly HistoryItem[]): void {
    if (this.#current?.utterance === utterance && this.#current.text === text) return;
    const { config, clock, replyModel, onFault } = this.#parts;
    const work = new AbortController();
    const writing = linkedAbort(work.signal);
    const language = this.#language();
    const tokens = replyModel.reply({
      prompt: config.prompt,
      history: [...history, { role: 'user', text, cut: false }],
      temperature: config.llmTemperature,
      language,
      knowledgeBaseId: config.knowledgeBaseId,
      signal: writing.signal,
    });
    const guarded = guardReply(tokens, {
      clock,
      language,
      signal: work.signal,
      stop: () => writing.abort(),
      onFault: (error) => onFault('reply', error),
    });
    this.#begin(utterance, text, work, guarded);
  }

  /** Lets the reply be heard; the one made ahead if it answers the same text. */
  commit(utterance: number, text: string, history: readonly HistoryItem[]): void {
    this.prepare(utterance, text, history);
    this.#release(utterance);
  }

  /** Says a fixed text. */
  say(utterance: number, text: string): void {
    this.#begin(utterance, text, new AbortController(), fixed(text));
    this.#release(utterance);
  }

  /** Forgets a reply that was made ahead and not committed. */
  dropPrepared(): void {
    if (this.#isReleased) return;
    this.stop();
    this.#playout.discard();
  }

  /** Stops making whatever is being made. */
  stop(): void {
    this.#current?.work.abort();
    this.#current = undefined;
  }

  #begin(
    utterance: number,
    text: string,
    work: AbortController,
    tokens: AsyncIterable<string>,
  ): void {
    this.stop();
    const { config, clock, voice, dictionary, transport } = this.#parts;
    const current: Prepared = {
      utterance,
      text,
      work,
      firstTokenAt: undefined,
      firstAudioAt: undefined,
    };
    this.#current = current;
    this.#isReleased = false;
    const speech = speakReply(tokens, {
      voice,
      dictionary,
      language: this.#language(),
      temperature: config.voice.temperature,
      topP: config.voice.topP,
      minSentenceLength: config.ttsMinSentenceLength,
      sampleRate: transport.sampleRate,
      signal: work.signal,
      onFirstToken: () => {
        current.firstTokenAt = clock.now();
      },
      onFirstAudio: () => {
        current.firstAudioAt = clock.now();
      },
    });
    this.#playout.prepare(utterance, speech);
  }

  #release(utterance: number): void {
    this.#isReleased = true;
    this.#playout.release(utterance);
  }

  #language(): string {
    const { language } = this.#parts.config.voice;
    return language === 'auto' ? 'en' : language;
  }
}

async function* fixed(text: string): AsyncGenerator<string> {
  yield text;
}
