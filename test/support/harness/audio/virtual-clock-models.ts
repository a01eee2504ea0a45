import type { SpeechChunk, TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import type { VirtualClock } from './virtual-clock.js';

/**
 * Lets real models take part in a call on the virtual clock: time stands still while they work, so that
 * what comes out does not depend on the machine.
 */
export class RealWork {
  #running = 0;
  #onIdle: (() => void) | undefined;

  /** Moves time on, and waits for all that real models do about it. */
  async run(clock: VirtualClock, ms: number): Promise<void> {
    await this.#idle();
    await clock.run(ms);
    await this.#idle();
  }

  async of<T>(work: Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work;
    } finally {
      this.#ended(1);
    }
  }

  /** The same VAD, waited for. */
  voiceActivity(model: VoiceActivity): VoiceActivity {
    return {
      open: (onWindow) => {
        let waiting = 0;
        const line = model.open((probability) => {
          waiting--;
          onWindow(probability);
          this.#ended(1);
        });
        return {
          push: (window) => {
            waiting++;
            this.#running++;
            line.push(window);
          },
          close: () => {
            this.#ended(waiting);
            waiting = 0;
            line.close();
          },
        };
      },
    };
  }

  /** The same voice, waited for; it says a text that it has said before from memory. */
  voice(model: TextToSpeech): TextToSpeech {
    const said = new Map<string, Promise<readonly SpeechChunk[]>>();
    const work = this;
    return {
      id: model.id,
      languages: model.languages,
      sampleRate: model.sampleRate,
      warm: () => model.warm(),
      close: () => model.close(),
      async *speak(utterance, options) {
        const known = said.get(utterance.text) ?? all(model.speak(utterance, options));
        said.set(utterance.text, known);
        yield* await work.of(known);
      },
    };
  }

  #ended(count: number): void {
    this.#running -= count;
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Nothing runs, and nothing that has just ended makes something run. */
  async #idle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#running === 0) continue;
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      this.#onIdle = undefined;
      quiet = -1;
    }
  }
}

async function all(chunks: AsyncGenerator<SpeechChunk>): Promise<readonly SpeechChunk[]> {
  const found: SpeechChunk[] = [];
  for await (const { samples, words } of chunks) found.push({ samples: samples.slice(), words });
  return found;
}
