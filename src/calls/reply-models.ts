import { ExtractiveResponder } from '../../agents-runtime/agent/extractive-responder.js';
import type { KnowledgeSearch } from '../../agents-runtime/agent/knowledge.js';
import type { ReplyModel } from '../../agents-runtime/agent/reply-model.js';
import { OpenAiCompatibleModel } from '../../agents-runtime/providers/openai-compatible.js';
import type { Embedder } from '../../media/inference/embedder.js';
import { BUILT_IN_RESPONDER, type ModelListing } from '../models-listing/model-listing.js';

export interface ReplyModelsParts {
  readonly config: {
    readonly LLM_BASE_URL?: string | undefined;
    readonly LLM_API_KEY?: string | undefined;
  };
  readonly models: ModelListing;
  readonly embedder: Embedder;
  readonly knowledge: KnowledgeSearch;
}

/** The language models that agents may name, by the ids of the listing. */
export class ReplyModels {
  readonly #byId = new Map<string, ReplyModel>();
  readonly #default: ReplyModel;

  constructor({ config, models, embedder, knowledge }: ReplyModelsParts) {
    const endpoint = { baseUrl: config.LLM_BASE_URL ?? '', apiKey: config.LLM_API_KEY };
    for (const { id } of models.llmModels) {
      const model =
        id === BUILT_IN_RESPONDER
          ? new ExtractiveResponder({ id, embedder, knowledge })
          : new OpenAiCompatibleModel(id, endpoint);
      this.#byId.set(id, model);
    }
    this.#default = this.#byId.get(models.defaultLlmModel)!;
  }

  /** The model of this id; one that is not (or no longer) listed is the default's to answer for. */
  get(id: string): ReplyModel {
    return this.#byId.get(id) ?? this.#default;
  }
}
