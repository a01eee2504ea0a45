/** The jobs of a validation thread. */
export type ValidationJobs = {
  /** Loads the validator and compiles a first schema, so that no later job waits for that. */
  readonly warm: { readonly input: undefined; readonly output: undefined };
  /** Compiles a schema once. */
  readonly compile: { readonly input: string; readonly output: undefined };
  readonly validate: { readonly input: ValidationInput; readonly output: string | undefined };
};

export interface ValidationInput {
  /** JSON text. */
  readonly schema: string;
  readonly args: Readonly<Record<string, unknown>>;
}
