import { linkedAbort } from '../../media/stream/linked-abort.js';
import { guardReply } from '../agent/reply-guard.js';
import type { HistoryItem } from '../agent/reply-model.js';
import { type Manner, mannerOf, speakReply } from '../agent/speech.js';
import type { Playout } from '../audio/playout.js';
import type { CallParts } from './call-parts.js';
import type { ReplyMarks } from './turn-latency.js';

interface Prepared {
  readonly utterance: number;
  readonly text: string;
  readonly work: AbortController;
  readonly marks: { -readonly [Mark in keyof ReplyMarks]: ReplyMarks[Mark] };
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

  /** When the steps of making the utterance happened, as far as they have. */
  marksOf(utterance: number): Partial<ReplyMarks> {
    return this.#current?.utterance === utterance ? this.#current.marks : {};
  }

  /** Starts a reply that stays silent until `commit` asks for the same text. */
  prepare(utterance: number, text: string, history: readonly HistoryItem[]): void {
    if (this.#current?.utterance === utterance && this.#current.text === text) return;
    const { config, clock, replyModel, onFault } = this.#parts;
    const work = new AbortController();
    const writing = linkedAbort(work.signal);
    const manner = this.#manner();
    const { language } = manner;
    const { marks } = this.#begin(utterance, text, work);
    const mark = (step: keyof ReplyMarks) => {
      marks[step] = clock.now();
    };
    const tokens = replyModel.reply({
      prompt: config.prompt,
      history: [...history, { role: 'user', text, cut: false }],
      temperature: config.llmTemperature,
      language,
      knowledgeBaseId: config.knowledgeBaseId,
      signal: writing.signal,
      onKnown: () => mark('knownAt'),
    });
    const guarded = guardReply(tokens, {
      clock,
      language,
      signal: work.signal,
      stop: () => writing.abort(),
      onFault: (error) => onFault('reply', error),
    });
    const speech = speakReply(guarded, {
      ...manner,
      signal: work.signal,
      onFirstToken: () => mark('firstTokenAt'),
      onFirstChunk: () => mark('firstChunkAt'),
      onFirstAudio: () => mark('firstAudioAt'),
    });
    this.#playout.prepare(utterance, speech);
  }

  /** Lets the reply be heard; the one made ahead if it answers the same text. */
  commit(utterance: number, text: string, history: readonly HistoryItem[]): void {
    this.prepare(utterance, text, history);
    this.#release(utterance);
  }

  /** Says a fixed text, which may have been spoken ahead. */
  say(utterance: number, text: string): void {
    const { work } = this.#begin(utterance, text, new AbortController());
    const speech = this.#parts.greetings.speak(text, this.#manner(), work.signal);
    this.#playout.prepare(utterance, speech);
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

  #begin(utterance: number, text: string, work: AbortController): Prepared {
    this.stop();
    const marks = {
      knownAt: undefined,
      firstTokenAt: undefined,
      firstChunkAt: undefined,
      firstAudioAt: undefined,
    };
    const current = { utterance, text, work, marks };
    this.#current = current;
    this.#isReleased = false;
    return current;
  }

  #release(utterance: number): void {
    this.#isReleased = true;
    this.#playout.release(utterance);
  }

  #manner(): Manner {
    const { config, voice, dictionary, transport } = this.#parts;
    return { ...mannerOf(config, voice, transport.sampleRate), dictionary };
  }
}
