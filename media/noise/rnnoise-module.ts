import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { WASM_PAGE, type WasmMemory, WebAssembly } from '../audio/web-assembly.js';
import { MediaError } from '../errors.js';
import { type CleanFrame, DENOISER_FRAME } from './denoiser.js';

/** The model's state for one stream. The caller of `open` frees it. */
export interface RnnoiseState {
  readonly clean: CleanFrame;
  free(): void;
}

/** Exports of the compiled module. For the linker's one-letter names see dist/rnnoise.js of the package. */
interface RnnoiseExports {
  readonly memory: WasmMemory;
  readonly construct: () => void;
  /** 0 selects the built-in model. */
  readonly create: (model: number) => number;
  readonly allocate: (bytes: number) => number;
  readonly destroy: (state: number) => void;
  readonly process: (state: number, output: number, input: number) => number;
}

/** The model expects samples in the range of 16-bit integers. */
const SCALE = 32_768;
/** 64 MB: about 1,000 streams. */
const MAX_PAGES = 1024;

/**
 * RNNoise 0.1 in WebAssembly, from the package @jitsi/rnnoise-wasm. This class instantiates the module,
 * because the package's loader needs a browser.
 */
export class RnnoiseModule {
  readonly #exports: RnnoiseExports;
  /** Address of the frame buffer, input and output. */
  readonly #frame: number;

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  constructor() {
    this.#exports = instantiate(readModule());
    this.#exports.construct();
    this.#frame = this.#exports.allocate(DENOISER_FRAME * 4);
  }

  /** Creates the state of one stream. @throws MediaError QUEUE_FULL if the module's memory is full */
  open(): RnnoiseState {
    const state = this.#exports.create(0);
    if (state === 0)
      throw new MediaError('QUEUE_FULL', 'The memory of the noise reduction is full');
    return {
      clean: (frame) => this.#clean(state, frame),
      free: () => this.#exports.destroy(state),
    };
  }

  #clean(state: number, frame: Float32Array): void {
    // A new view each time: the buffer is replaced when the memory grows.
    const shared = new Float32Array(this.#exports.memory.buffer, this.#frame, DENOISER_FRAME);
    for (let i = 0; i < DENOISER_FRAME; i++) shared[i] = frame[i]! * SCALE;
    this.#exports.process(state, this.#frame, this.#frame);
    for (let i = 0; i < DENOISER_FRAME; i++) frame[i] = shared[i]! / SCALE;
  }
}

function readModule(): Buffer {
  try {
    const require = createRequire(import.meta.url);
    return readFileSync(require.resolve('@jitsi/rnnoise-wasm/dist/rnnoise.wasm'));
  } catch (cause) {
    throw new MediaError(
      'MODEL_MISSING',
      'The package @jitsi/rnnoise-wasm is not installed: run npm install',
      { cause },
    );
  }
}

function instantiate(binary: Buffer): RnnoiseExports {
  let memory: WasmMemory | undefined;
  const grow = (bytes: number): number => {
    if (!memory) return 0;
    const pages = Math.ceil((bytes - memory.buffer.byteLength) / WASM_PAGE);
    if (memory.buffer.byteLength / WASM_PAGE + pages > MAX_PAGES) return 0;
    memory.grow(Math.max(0, pages));
    return 1;
  };
  const copy = (to: number, from: number, count: number) => {
    if (memory) new Uint8Array(memory.buffer).copyWithin(to, from, from + count);
  };
  try {
    const module = new WebAssembly.Module(new Uint8Array(binary));
    const { exports } = new WebAssembly.Instance(module, { a: { a: grow, b: copy } });
    const names = exports as Readonly<Record<string, never>>;
    const { c, d, f, g, h, j } = names;
    memory = c;
    return { memory: c!, construct: d!, create: f!, allocate: g!, destroy: h!, process: j! };
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', 'The module of the noise reduction cannot be loaded', {
      cause,
    });
  }
}
