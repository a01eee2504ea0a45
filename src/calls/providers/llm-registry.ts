import type { KnowledgeSearch } from '../../../agents-runtime/contract/knowledge.js';
import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import { ExtractiveResponder } from '../../../agents-runtime/providers/builtin-responder/extractive-responder.js';
import { OpenAiChatModel } from '../../../agents-runtime/providers/openai-chat.js';
import { RagModel } from '../../../agents-runtime/providers/rag-model.js';
import type { Embedder } from '../../../media/embeddings/embedder.js';
import type { ListedLanguageModel } from '../../features/model-catalogue/language-model-settings.js';
import {
  BUILT_IN_RESPONDER,
  type ModelCatalogue,
} from '../../features/model-catalogue/model-catalogue.js';

export interface LlmRegistryParts {
  /** The models of language servers. The built-in responder is always available. */
  readonly languageModels: () => readonly ListedLanguageModel[];
  /** Ids of fallback models, in this order. */
  readonly fallbacks?: readonly string[];
  readonly models: Pick<ModelCatalogue, 'defaultLlmModel'>;
  readonly embedder: Embedder;
  readonly knowledge: KnowledgeSearch;
}

/** The language models that agents can use, by the ids of the model catalogue. */
export class LlmRegistry {
  readonly #parts: LlmRegistryParts;
  readonly #builtIn: LanguageModel;
  /** Created at first use. */
  readonly #byModel = new WeakMap<ListedLanguageModel, LanguageModel>();

  constructor(parts: LlmRegistryParts) {
    const { embedder, knowledge } = parts;
    this.#parts = parts;
    this.#builtIn = new ExtractiveResponder({ id: BUILT_IN_RESPONDER, embedder, knowledge });
  }

  /** The model with an id. Without such a model: the default model. */
  get(id: string): LanguageModel {
    return this.#find(id) ?? this.#find(this.#parts.models.defaultLlmModel) ?? this.#builtIn;
  }

  /** The fallbacks for the model with an id. */
  fallbacksFor(id: string): readonly LanguageModel[] {
    const own = this.get(id);
    const others = (this.#parts.fallbacks ?? []).flatMap((other) => this.#find(other) ?? []);
    return others.filter((other) => other !== own);
  }

  #find(id: string): LanguageModel | undefined {
    if (id === this.#builtIn.id) return this.#builtIn;
    const { languageModels, knowledge } = this.#parts;
    const found = languageModels().find((model) => model.id === id);
    if (!found) return undefined;
    const known = this.#byModel.get(found);
    if (known) return known;
    const model = new RagModel(new OpenAiChatModel(id, found), knowledge);
    this.#byModel.set(found, model);
    return model;
  }
}
