/** A voice that comes with a model of the store. */
export interface BuiltinVoice {
  readonly id: string;
  readonly name: string;
  /** ISO 639-1. */
  readonly language: string;
  /** Hz. */
  readonly sampleRate: number;
  /** The kind of model behind it. */
  readonly engine: string;
  /** Whether its model is on this machine; if not, it is PENDING, and speech with it refused. */
  readonly isInstalled: boolean;
  /** Whether it speaks for its language when no voice is named. */
  readonly isDefault: boolean;
  /** The command that installs it, if it is not there. */
  readonly install?: string | undefined;
}

/** The built-in voices of this installation, installed or not. */
export interface BuiltinVoices {
  list(): readonly BuiltinVoice[];
}
