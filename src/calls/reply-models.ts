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
  readonly languageModels: () => readonly LanguageModel[];
  /** Ids of models that stand in for one that does not answer, in this order. */
  readonly fallbacks?: readonly string[];
  readonly models: Pick<ModelListing, 'defaultLlmModel'>;
  readonly embedder: Embedder;
  readonly knowledge: KnowledgeSearch;
}

/** The language models that agents may name, by the ids of the listing. */
export class ReplyModels {
  readonly #parts: ReplyModelsParts;
  readonly #builtIn: ReplyModel;
  /** Made when they are asked for first. */
  readonly #byModel = new WeakMap<LanguageModel, ReplyModel>();

  constructor(parts: ReplyModelsParts) {
    const { embedder, knowledge } = parts;
    this.#parts = parts;
    this.#builtIn = new ExtractiveResponder({ id: BUILT_IN_RESPONDER, embedder, knowledge });
  }

  /** The model of this id; one that is not (or no longer) listed is the default's to answer for. */
  get(id: string): ReplyModel {
    return this.#find(id) ?? this.#find(this.#parts.models.defaultLlmModel) ?? this.#builtIn;
  }

  /** Those that stand in for the model of this id. */
  fallbacksFor(id: string): readonly ReplyModel[] {
    const own = this.get(id);
    const others = (this.#parts.fallbacks ?? []).flatMap((other) => this.#find(other) ?? []);
    return others.filter((other) => other !== own);
  }

  #find(id: string): ReplyModel | undefined {
    if (id === this.#builtIn.id) return this.#builtIn;
    const { languageModels, knowledge } = this.#parts;
    const found = languageModels().find((model) => model.id === id);
    if (!found) return undefined;
    const known = this.#byModel.get(found);
    if (known) return known;
    const model = new InformedModel(new OpenAiCompatibleModel(id, found), knowledge);
    this.#byModel.set(found, model);
    return model;
  }
}
