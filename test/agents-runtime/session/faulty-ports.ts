import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';

/** What a port does when it is called. */
type Conduct = 'works' | 'throws' | 'rejects' | 'garbage' | 'hangs';

/** Values that no port may return. */
const GARBAGE: readonly unknown[] = [undefined, Number.NaN, 'garbage', {}];

const never = () => new Promise<never>(() => undefined);

/**
 * Ports that fail at random. `dice` returns the next number in 0…1; `rate` is the share of faults.
 */
export class FaultyPorts {
  readonly #dice: () => number;
  readonly #rate: number;

  constructor(dice: () => number, rate: number) {
    this.#dice = dice;
    this.#rate = rate;
  }

  /** Makes all dependencies of a call fail, except for its clock. */
  around(parts: CallDependencies): CallDependencies {
    const { clock, ticker, config, voiceActivity, noiseReduction, fallbackVoices = [] } = parts;
    return {
      ...parts,
      clock,
      ticker,
      config,
      transport: this.#port(parts.transport),
      voiceActivity: {
        open: (onWindow) =>
          this.#port(voiceActivity.open((probability) => onWindow(this.#spoilt(probability)))),
      },
      noiseReduction: noiseReduction && {
        open: ({ onSamples, onFault }) =>
          this.#port(
            noiseReduction.open({ onSamples: (it) => onSamples(this.#spoilt(it)), onFault }),
          ),
      },
      turnDetector: this.#port(parts.turnDetector),
      speechToText: this.#port(parts.speechToText),
      languageModel: this.#port(parts.languageModel),
      voice: this.#port(parts.voice),
      fallbackVoices: fallbackVoices.map((voice) => this.#port(voice)),
      tools: parts.tools && this.#port(parts.tools),
      speechCache: this.#port(parts.speechCache),
      callLog: this.#port(parts.callLog, ['works', 'throws', 'rejects']),
      observers: parts.observers?.map((observer) => this.#port(observer)) ?? [],
      onFault: (part, error) => {
        parts.onFault(part, error);
        this.#mayThrow();
      },
      onEnded: (reason) => {
        parts.onEnded(reason);
        this.#mayThrow();
      },
    };
  }

  #port<T extends object>(port: T, conducts?: readonly Conduct[]): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => this.#use(() => value.apply(target, args), conducts);
      },
    });
  }

  #use(act: () => unknown, conducts?: readonly Conduct[]): unknown {
    const conduct = this.#conduct(conducts);
    if (conduct === 'throws') throw new Error('chaos: thrown');
    const result = act();
    if (result instanceof Promise) return this.#promise(result, conduct);
    if (isGenerator(result)) return this.#generator(result, conducts);
    return result;
  }

  #promise(result: Promise<unknown>, conduct: Conduct): Promise<unknown> {
    if (conduct === 'works') return result;
    result.catch(() => undefined);
    if (conduct === 'hangs') return never();
    if (conduct === 'garbage') return Promise.resolve(this.#garbage());
    return Promise.reject(new Error('chaos: rejected'));
  }

  async *#generator(source: AsyncGenerator<unknown>, conducts?: readonly Conduct[]) {
    for await (const value of source) {
      const conduct = this.#conduct(conducts);
      if (conduct === 'hangs') await never();
      if (conduct === 'throws' || conduct === 'rejects') throw new Error('chaos: broke off');
      yield conduct === 'garbage' ? this.#garbage() : value;
    }
  }

  #spoilt<T>(value: T): T {
    return this.#conduct() === 'works' ? value : (this.#garbage() as T);
  }

  #mayThrow(): void {
    if (this.#conduct() === 'throws') throw new Error('chaos: thrown by a listener');
  }

  #garbage(): unknown {
    return GARBAGE[Math.floor(this.#dice() * GARBAGE.length)];
  }

  #conduct(
    conducts: readonly Conduct[] = ['works', 'throws', 'rejects', 'garbage', 'hangs'],
  ): Conduct {
    if (this.#dice() >= this.#rate) return 'works';
    return conducts[Math.floor(this.#dice() * conducts.length)]!;
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
