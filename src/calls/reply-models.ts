import { ExtractiveResponder } from '../../agents-runtime/agent/extractive-responder.js';
import { InformedModel } from '../../agents-runtime/agent/informed-model.js';
import type { KnowledgeSearch } from '../../agents-runtime/agent/knowledge.js';
import type { ReplyModel } from '../../agents-runtime/agent/reply-model.js';
import { OpenAiCompatibleModel } from '../../agents-runtime/providers/openai-compatible.js';
import type { Embedder } from '../../media/inference/embedder.js';
import type { LanguageModel } from '../models-listing/language-models.js';
import { BUILT_IN_RESPONDER, type ModelListing } from '../models-listing/model-listing.js';

export interface ReplyModelsParts {
  /** Those of language servers; the built-in responder is always there. */
  readonly languageModels: readonly LanguageModel[];
  /** Ids of models that stand in for one that does not answer, in this order. */
  readonly fallbacks?: readonly string[];
  readonly models: Pick<ModelListing, 'defaultLlmModel'>;
  readonly embedder: Embedder;
  readonly knowledge: KnowledgeSearch;
}

/** The language models that agents may name, by the ids of the listing. */
export class ReplyModels {
  readonly #byId = new Map<string, ReplyModel>();
  readonly #default: ReplyModel;
  readonly #fallbacks: readonly string[];

  constructor(parts: ReplyModelsParts) {
    const { languageModels, models, embedder, knowledge, fallbacks = [] } = parts;
    this.#fallbacks = fallbacks;
    const builtIn = new ExtractiveResponder({ id: BUILT_IN_RESPONDER, embedder, knowledge });
    this.#byId.set(builtIn.id, builtIn);
    for (const { id, ...endpoint } of languageModels) {
      const model = new OpenAiCompatibleModel(id, endpoint);
      this.#byId.set(id, new InformedModel(model, knowledge));
    }
    this.#default = this.#byId.get(models.defaultLlmModel) ?? builtIn;
  }

  /** The model of this id; one that is not (or no longer) listed is the default's to answer for. */
  get(id: string): ReplyModel {
    return this.#byId.get(id) ?? this.#default;
  }

  /** Those that stand in for the model of this id. */
  fallbacksFor(id: string): readonly ReplyModel[] {
    const own = this.get(id);
    const others = this.#fallbacks.flatMap((other) => this.#byId.get(other) ?? []);
    return others.filter((other) => other !== own);
  }
}
