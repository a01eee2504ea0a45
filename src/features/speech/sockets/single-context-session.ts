import type { SpeechVoiceSettings } from '../speech.service.js';
import { encodeAudio, type FirstMessage, type LaterMessage, readMessage } from './protocol.js';
import type { FrameHandler, SpeechSocketSession } from './session.js';
import { SpeechWriter } from './speech-writer.js';
import type { TextBuffer } from './text-buffer.js';

/** `/tts/stream`: one text, spoken from its first sentence on. Reports errors by close codes only. */
export class SingleContextSession implements FrameHandler {
  readonly #session: SpeechSocketSession;
  #text: TextBuffer | undefined;

  constructor(session: SpeechSocketSession) {
    this.#session = session;
  }

  async onFrame(frame: Buffer): Promise<void> {
    const { first, later } = this.#session.messages.single;
    if (this.#text) this.#add(this.#text, readMessage(later, frame));
    else await this.#begin(readMessage(first, frame));
  }

  end(): void {
    this.#text?.end();
  }

  async #begin(message: FirstMessage): Promise<void> {
    const settings = await this.#session.resolve(message);
    const text = this.#session.textBuffer(settings);
    this.#text = text;
    this.#add(text, message);
    this.#session.run(() => this.#speak(settings, text, message.delivery_mode ?? 'raw'));
  }

  #add(text: TextBuffer, message: LaterMessage): void {
    // The first flush has ended the text.
    if (text.feed.hasEnded) return;
    if (message.text) text.add(message.text);
    if (message.flush) text.end();
  }

  async #speak(
    settings: SpeechVoiceSettings,
    text: TextBuffer,
    deliveryMode: 'raw' | 'paced',
  ): Promise<void> {
    const { socket, accountId, parts } = this.#session;
    const writer = new SpeechWriter(parts, { accountId, settings, deliveryMode });
    const write = (audio: Uint8Array) => socket.send({ audio: encodeAudio(audio) });
    await writer.speak(text.feed, write, socket.signal);
    await socket.send({ is_last: true });
    await socket.finish();
  }
}
