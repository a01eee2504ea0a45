import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { LanguageModelDiscovery } from '../features/model-catalog/language-model-discovery.js';
import type { LanguageModelSettings } from '../features/model-catalog/language-model-settings.js';
import { ModelCatalog } from '../features/model-catalog/model-catalog.js';

export interface ListingParts {
  readonly config: Pick<Config, 'MODEL_PREFIX'>;
  readonly log: Logger;
}

/** The language models that there are, as their servers say now, and what is listed of them. */
export async function openListing({ config, log }: ListingParts, settings: LanguageModelSettings) {
  const served = new LanguageModelDiscovery({
    ...settings,
    onFault: (err, server) =>
      log.warn({ err, server }, 'a language server did not list its models'),
  });
  await served.refresh();
  const models: ModelCatalog = new ModelCatalog({
    prefix: config.MODEL_PREFIX,
    llmModels: () => served.models.map(({ id }) => id),
    refresh: async () => {
      const before = models.defaultLlmModel;
      await served.refresh();
      const model = models.defaultLlmModel;
      if (model !== before) {
        log.warn(
          { before, model },
          'the default model changed: it answers for agents without llm_model',
        );
      }
    },
  });
  return { served, models };
}
