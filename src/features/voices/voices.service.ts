import { ApiError } from '../../platform/http/api-error.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import { AUDIO_FILE_TYPES, sniffAudioType } from './sniff-audio-type.js';
import type { BuiltinVoice, BuiltinVoices } from './voice-catalogue.js';
import type { NewVoice, OwnVoice, VoicesRepository, VoiceVisibility } from './voices.repository.js';

/** Per account. Recordings are stored, so their number is bounded. */
const MAX_VOICES = 50;
const NO_CLONING =
  'No voice cloning model is available. The recording is stored, and no other voice replaces it';

export interface VoiceServiceParts {
  readonly builtin: BuiltinVoices;
  readonly voices: VoicesRepository;
}

/** The voices of an account, and the built-in ones. */
export class VoiceService {
  readonly #builtin: BuiltinVoices;
  readonly #voices: VoicesRepository;

  constructor({ builtin, voices }: VoiceServiceParts) {
    this.#builtin = builtin;
    this.#voices = voices;
  }

  /** The account's own voices, then the built-in ones if they are included. */
  async list(
    accountId: string,
    { isBuiltinIncluded }: { readonly isBuiltinIncluded: boolean },
  ): Promise<readonly (OwnVoice | BuiltinVoice)[]> {
    const own = await this.#voices.list(accountId);
    return isBuiltinIncluded ? [...own, ...this.#builtin.list()] : own;
  }

  /**
   * Stores a recording as a FAILED voice, as no cloning model exists.
   * @throws ApiError UNSUPPORTED_MEDIA_TYPE, FORBIDDEN if the account has 50 voices
   */
  async clone(
    accountId: string,
    recording: Uint8Array,
    fields: Pick<NewVoice, 'name' | 'visibility' | 'language'>,
  ): Promise<OwnVoice> {
    const kind = sniffAudioType(recording);
    if (!kind) {
      throw new ApiError(
        'UNSUPPORTED_MEDIA_TYPE',
        `The recording must be one of ${AUDIO_FILE_TYPES.join(', ')}`,
      );
    }
    if ((await this.#voices.count(accountId)) >= MAX_VOICES) {
      throw new ApiError(
        'FORBIDDEN',
        `The account has ${MAX_VOICES} voices, the maximum: delete one first`,
      );
    }
    return this.#voices.insert(accountId, {
      ...fields,
      status: 'FAILED',
      failureReason: NO_CLONING,
      recording: { kind, bytes: recording },
    });
  }

  /** A built-in voice, an own one or a PUBLIC one. @throws ApiError VOICE_NOT_FOUND */
  async get(accountId: string, id: string): Promise<OwnVoice | BuiltinVoice> {
    const builtin = this.#builtin.list().find((voice) => voice.id === id);
    return builtin ?? (await this.#voices.find(accountId, id)) ?? throwNotFound('voice');
  }

  /** Undefined fields stay unchanged. @throws ApiError VOICE_NOT_FOUND */
  async update(
    accountId: string,
    id: string,
    changes: {
      readonly name: string | undefined;
      readonly visibility: VoiceVisibility | undefined;
    },
  ): Promise<OwnVoice> {
    return (await this.#voices.update(accountId, id, changes)) ?? throwNotFound('voice');
  }

  /** @throws ApiError VOICE_NOT_FOUND */
  async delete(accountId: string, id: string): Promise<void> {
    if (!(await this.#voices.delete(accountId, id))) throwNotFound('voice');
  }
}
