import type { Knex } from 'knex';
import { MODELS } from '../media/models/manifest.js';
import type { ModelStore } from '../media/models/store.js';
import type { VoiceModel } from '../media/tts/voice-model.js';
import { Agents } from './agents/agents.js';
import { AgentsRepository } from './agents/agents.repository.js';
import { agentRoutes } from './agents/agents.routes.js';
import type { Config } from './config.js';
import type { Route } from './http/route.js';
import { ApiKeysRepository } from './keys/api-keys.repository.js';
import { apiKeyRoutes } from './keys/api-keys.routes.js';
import type { KeyDirectory } from './keys/key-directory.js';
import { ModelListing } from './models-listing/model-listing.js';
import { modelRoutes } from './models-listing/models.routes.js';
import { AllowedHosts } from './outbound/allowed-hosts.js';
import type { SecretBox } from './secrets/secret-box.js';
import { InstalledLanguages } from './voices/installed-languages.js';
import { VoiceCatalogue } from './voices/voice-catalogue.js';
import { voiceRoutes } from './voices/voices.routes.js';

/** What the resources are made of. */
export interface ApiParts {
  readonly config: Config;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly keys: KeyDirectory;
  readonly store: ModelStore;
  /** The default voice first. */
  readonly voices: readonly VoiceModel[];
}

/** Every route below `/api/v1`. */
export function apiRoutes(parts: ApiParts): readonly Route[] {
  const { config, db, keys, voices } = parts;
  const models = new ModelListing({
    prefix: config.MODEL_PREFIX,
    llmModels: config.LLM_MODELS,
  });
  return [
    ...modelRoutes(models),
    ...apiKeyRoutes({ keys: new ApiKeysRepository(db), directory: keys }),
    ...ownAgentRoutes(parts, models),
    ...voiceRoutes(new VoiceCatalogue(MODELS, voices)),
  ];
}

function ownAgentRoutes({ config, db, box, store, voices }: ApiParts, models: ModelListing) {
  const repository = new AgentsRepository(db);
  const agents = new Agents({
    repository,
    box,
    allowedHosts: new AllowedHosts(config.OUTBOUND_ALLOWED_HOSTS),
    languages: new InstalledLanguages({ voices, models: MODELS, store }),
    // No route makes knowledge bases yet, so none exists.
    knowledgeBases: { exists: async () => false },
  });
  return agentRoutes({ agents, repository, models });
}
