import { type Route, route } from '../../platform/http/route.js';
import { list, model, str } from '../../platform/http/validation/schema-builders.js';
import type { ModelCatalogue } from './model-catalogue.js';

const Listed = model({ id: str(), name: str() }).meta({ id: 'ListedModel' });
const Models = model({ llm_models: list(Listed), tts_models: list(Listed) }).meta({ id: 'Models' });

/** `/models`: the ids that requests and agents may name. */
export function modelRoutes(catalog: ModelCatalogue): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/models',
      scope: 'any',
      tag: 'Models',
      summary: 'List models',
      responses: { 200: { description: 'The models', schema: Models } },
      async handle() {
        await catalog.refresh();
        return { llm_models: catalog.llmModels, tts_models: catalog.ttsModels };
      },
    }),
  ];
}
