import { join } from 'node:path';
import type { Dialect } from '../../languages.js';
import type { CpuScheduler } from '../../runtime/cpu-scheduler.js';
import type { Pronounced } from '../../text/dictionary/dictionary.js';
import { StreamingVoice } from '../streaming/streaming-voice.js';
import type { SynthesisRequest } from '../text-to-speech.js';

/** Files that a voice's worker reads. */
export interface HibariFiles {
  /** Folder with the data of the text front end. */
  readonly folder: string;
  readonly dialect: Dialect;
  /** The acoustic model. */
  readonly modelFile: string;
  /** Folder of prepared models; undefined prepares in memory. */
  readonly preparedFolder: string | undefined;
}

/** Input of a voice's worker; see `SynthesisRequest`. */
export interface HibariUtterance {
  readonly text: string;
  readonly pronounced: readonly Pronounced[];
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  readonly speed: number;
}

/** Files and scheduler of a `HibariVoice`. */
export interface HibariVoiceOptions {
  readonly id: string;
  /** Folder of the model `hibari-heart`, with the data of the text front end. */
  readonly folder: string;
  /** Path of another voice's acoustic model. Default: the one in `folder`. */
  readonly modelFile?: string;
  /** Folder of prepared models. Default: the model is prepared in memory. */
  readonly preparedFolder?: string | undefined;
  readonly scheduler: CpuScheduler;
  /** Default: `us`. */
  readonly dialect?: Dialect;
}

/** A neural English voice. The text front end, the model and the signal processing run on its worker thread. */
export class HibariVoice extends StreamingVoice<HibariUtterance> {
  override readonly id: string;
  override readonly languages = ['en'];
  override readonly sampleRate = 24_000;

  constructor({ id, folder, modelFile, preparedFolder, scheduler, dialect }: HibariVoiceOptions) {
    const files: HibariFiles = {
      folder,
      dialect: dialect ?? 'us',
      modelFile: modelFile ?? join(folder, 'hibari.onnx'),
      preparedFolder,
    };
    const script = new URL('./hibari.worker.js', import.meta.url);
    super({ script, workerData: files, scheduler });
    this.id = id;
  }

  protected override async utteranceOf(request: SynthesisRequest): Promise<HibariUtterance> {
    const { text, pronounced = [], temperature, topP, seed, speed } = request;
    return { text, pronounced, temperature, topP, seed, speed };
  }
}
