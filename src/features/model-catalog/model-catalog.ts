/** A model as `/models` shows it. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
}

/** The built-in responder: it answers from the agent's own texts by rules, and is no language model. */
export const BUILT_IN_RESPONDER = 'parley-extractive-v1';

const RELEASE_DATE = '2026-02-10';

export interface ModelCatalogOptions {
  /** The service's own name in the ids of speech models. */
  readonly prefix: string;
  /** Models of the configured language server, the preferred one first. */
  readonly llmModels: readonly string[] | (() => readonly string[]);
  /** Makes sure that they are those of now. */
  readonly refresh?: () => Promise<void>;
}

/** Which models a client may name. The four ids of speech models always exist. */
export class ModelCatalog {
  readonly #options: ModelCatalogOptions;
  readonly ttsModels: readonly ListedModel[];
  readonly #prefix: string;

  constructor(options: ModelCatalogOptions) {
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

  /** Those of language servers, then the built-in responder. */
  get llmModels(): readonly ListedModel[] {
    const { llmModels } = this.#options;
    const ids = typeof llmModels === 'function' ? llmModels() : llmModels;
    return [
      ...ids.map((id) => ({ id, name: id })),
      { id: BUILT_IN_RESPONDER, name: 'Built-in responder (extractive, no language model)' },
    ];
  }

  /** Asks language servers which models they have, where that was long ago. */
  async refresh(): Promise<void> {
    await this.#options.refresh?.();
  }

  /** The model of an agent without `llm_model`, decided when a call begins: the first of the listing. */
  get defaultLlmModel(): string {
    return this.llmModels[0]!.id;
  }

  /** The `-latest` id of the family that a language asks for; `auto`: the multilingual one. */
  ttsModelFor(language: string): string {
    const family = language === 'en' ? 'tts-v1' : 'tts-multilingual-v1';
    return `${this.#prefix}-${family}-latest`;
  }

  /** Whether one of the four ids speaks every language; the others speak English only. */
  isMultilingual(ttsModel: string): boolean {
    return ttsModel.startsWith(`${this.#prefix}-tts-multilingual-`);
  }
}
