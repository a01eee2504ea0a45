import type { SpeechChunk, TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import type { VirtualClock } from './virtual-clock.js';

/**
 * Runs real models in a call on the virtual clock. The clock stops while a model works, so the
 * result does not depend on the speed of the machine.
 */
export class ModelWork {
  #running = 0;
  #onIdle: (() => void) | undefined;

  /** Advances the clock by `ms` and waits for all work that models do as a result. */
  async run(clock: VirtualClock, ms: number): Promise<void> {
    await this.#idle();
    await clock.run(ms);
    await this.#idle();
  }

  async track<T>(work: Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work;
    } finally {
      this.#ended(1);
    }
  }

  /** Wraps a VAD; its work is awaited. */
  voiceActivity(model: VoiceActivity): VoiceActivity {
    return {
      open: (onWindow) => {
        let waiting = 0;
        const stream = model.open((probability) => {
          waiting--;
          onWindow(probability);
          this.#ended(1);
        });
        return {
          push: (window) => {
            waiting++;
            this.#running++;
            stream.push(window);
          },
          close: () => {
            this.#ended(waiting);
            waiting = 0;
            stream.close();
          },
        };
      },
    };
  }

  /** Wraps a voice; its work is awaited, and a repeated text is synthesised once. */
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
        yield* await work.track(known);
      },
    };
  }

  #ended(count: number): void {
    this.#running -= count;
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Resolves when no work runs and three turns of the event loop start none. */
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
