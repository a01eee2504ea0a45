/** A model of the `/models` response. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
}

/** The built-in responder answers from the agent's texts by rules, without a language model. */
export const BUILT_IN_RESPONDER = 'parley-extractive-v1';

const RELEASE_DATE = '2026-02-10';

export interface ModelCatalogueOptions {
  /** Prefix of the ids of speech models. */
  readonly prefix: string;
  /** Models of the language model servers, the default first. */
  readonly llmModels: readonly string[] | (() => readonly string[]);
  /** Updates `llmModels`. */
  readonly refresh?: () => Promise<void>;
}

/** The models that a client may name. The four ids of speech models always exist. */
export class ModelCatalogue {
  readonly #options: ModelCatalogueOptions;
  readonly ttsModels: readonly ListedModel[];
  readonly #prefix: string;

  constructor(options: ModelCatalogueOptions) {
    const { prefix } = options;
    this.#options = options;
    this.#prefix = prefix;
    this.ttsModels = [
      { id: `${prefix}-tts-v1-latest`, name: 'English, latest' },
      { id: `${prefix}-tts-v1-${RELEASE_DATE}`, name: `English, ${RELEASE_DATE}` },
      { id: `${prefix}-tts-multilingual-v1-latest`, name: 'Multilingual, latest' },
      {
        id: `${prefix}-tts-multilingual-v1-${RELEASE_DATE}`,
        name: `Multilingual, ${RELEASE_DATE}`,
      },
    ];
  }

  /** Models of language model servers, then the built-in responder. */
  get llmModels(): readonly ListedModel[] {
    const { llmModels } = this.#options;
    const ids = typeof llmModels === 'function' ? llmModels() : llmModels;
    return [
      ...ids.map((id) => ({ id, name: id })),
      { id: BUILT_IN_RESPONDER, name: 'Built-in responder (extractive, no language model)' },
    ];
  }

  /** Updates the list of language models if it is older than a minute. */
  async refresh(): Promise<void> {
    await this.#options.refresh?.();
  }

  /** The model of agents without `llm_model`. Resolved when a call begins. */
  get defaultLlmModel(): string {
    return this.llmModels[0]!.id;
  }

  /** The `-latest` id for a language; `auto` is multilingual. */
  ttsModelFor(language: string): string {
    const family = language === 'en' ? 'tts-v1' : 'tts-multilingual-v1';
    return `${this.#prefix}-${family}-latest`;
  }

  /** Whether one of the four ids speaks every language; the others speak English only. */
  isMultilingual(ttsModel: string): boolean {
    return ttsModel.startsWith(`${this.#prefix}-tts-multilingual-`);
  }
}
