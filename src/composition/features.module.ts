import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { MODEL_CATALOGUE } from '../../media/models/catalogue.js';
import type { ModelStore } from '../../media/models/store.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { PlsThread } from '../../media/text/pls/pls-thread.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import { hasSttProvider } from '../calls/providers/stt-providers.js';
import type { SipProvisioner } from '../channels/livekit/sip-provisioner.js';
import type { Config } from '../config/config.js';
import type { LimitSettings } from '../config/limits.settings.js';
import { googleRoutes } from '../features/agent-tools/google.routes.js';
import type { KnowledgeBaseDirectory } from '../features/agents/agents.ports.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import { agentRoutes } from '../features/agents/agents.routes.js';
import { AgentService } from '../features/agents/agents.service.js';
import type { ApiKeysRepository } from '../features/auth/api-keys.repository.js';
import { apiKeyRoutes } from '../features/auth/api-keys.routes.js';
import type { ApiKeyAuthenticator } from '../features/auth/authenticator.js';
import { CompiledDictionaries } from '../features/dictionaries/compiled-dictionaries.js';
import { DictionariesRepository } from '../features/dictionaries/dictionaries.repository.js';
import { dictionaryRoutes } from '../features/dictionaries/dictionaries.routes.js';
import {
  type DictionaryReferences,
  DictionaryService,
} from '../features/dictionaries/dictionaries.service.js';
import { LanguageModelDiscovery } from '../features/model-catalogue/language-model-discovery.js';
import type { LanguageModelSettings } from '../features/model-catalogue/language-model-settings.js';
import { ModelCatalogue } from '../features/model-catalogue/model-catalogue.js';
import { modelRoutes } from '../features/model-catalogue/models.routes.js';
import type { NumberOwnership } from '../features/ownership/number-ownership.js';
import type { CarrierRegistry } from '../features/phone-numbers/carrier-registry.js';
import { PhoneNumbersRepository } from '../features/phone-numbers/phone-numbers.repository.js';
import { phoneNumberRoutes } from '../features/phone-numbers/phone-numbers.routes.js';
import { PhoneNumberService } from '../features/phone-numbers/phone-numbers.service.js';
import { InstalledLanguages } from '../features/voices/language-availability.js';
import { VoiceCatalogue } from '../features/voices/voice-catalogue.js';
import { VoiceOverrides } from '../features/voices/voice-overrides.js';
import type { VoicesRepository } from '../features/voices/voices.repository.js';
import { voiceRoutes } from '../features/voices/voices.routes.js';
import { VoiceService } from '../features/voices/voices.service.js';
import { AllowedHosts } from '../platform/egress/allowed-hosts.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';

export interface FeaturesParts {
  readonly config: Config;
  readonly log: Logger;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly authenticator: ApiKeyAuthenticator;
  readonly agents: AgentsRepository;
  readonly apiKeys: ApiKeysRepository;
  readonly numbers: NumberOwnership;
  readonly ownVoices: VoicesRepository;
  readonly scheduler: CpuScheduler;
  readonly modelStore: ModelStore;
  /** The default voice first. */
  readonly voices: readonly TextToSpeech[];
  /** The configured language model servers. */
  readonly languageModels: LanguageModelSettings;
  readonly knowledgeBases: KnowledgeBaseDirectory;
  readonly carriers: CarrierRegistry;
  /** Undefined where LiveKit is not configured. */
  readonly sipProvisioner: SipProvisioner | undefined;
  /** `http(s)://host[:port]` by which others reach this gateway; undefined where not known. */
  readonly origin: () => string | undefined;
}

/** The resources of the API besides calls, knowledge bases, speech and webhooks. */
export async function createFeaturesModule(parts: FeaturesParts) {
  const { agents, ownVoices, voices } = parts;
  const dictionaries = createDictionaries({ ...parts, references: agents });
  const { models, listLanguageModels } = await createModelCatalogue(parts);
  const voiceCatalogue = new VoiceCatalogue(MODEL_CATALOGUE, voices);
  return {
    models,
    /** The language models that the servers offer now. */
    listLanguageModels,
    voiceCatalogue,
    dictionaries: dictionaries.compiled,
    overrides: new VoiceOverrides({
      voices: voiceCatalogue,
      ownVoices,
      dictionaries: dictionaries.compiled,
    }),
    routes: [
      ...modelRoutes(models),
      ...apiKeyRoutes({ apiKeys: parts.apiKeys, authenticator: parts.authenticator }),
      ...createAgentRoutes(parts, models),
      ...createPhoneNumberRoutes(parts),
      ...dictionaries.routes,
      ...googleRoutes(agents),
      ...voiceRoutes(new VoiceService({ builtin: voiceCatalogue, voices: ownVoices })),
    ],
    close: () => dictionaries.close(),
  };
}

export interface DictionaryParts {
  readonly config: LimitSettings;
  readonly db: Knex;
  readonly scheduler: CpuScheduler;
  readonly references: DictionaryReferences;
}

/** Pronunciation dictionaries. */
export function createDictionaries({ config, db, scheduler, references }: DictionaryParts) {
  const limits = {
    rules: config.DICTIONARY_RULES,
    wordLength: config.DICTIONARY_WORD_LENGTH,
    replacementLength: config.DICTIONARY_REPLACEMENT_LENGTH,
  };
  const repository = new DictionariesRepository(db);
  const pls = new PlsThread(scheduler);
  const dictionaries = new DictionaryService({ repository, references, pls, limits });
  return {
    routes: dictionaryRoutes({ dictionaries, limits, maxFileBytes: config.DICTIONARY_FILE_BYTES }),
    compiled: new CompiledDictionaries(repository),
    close: () => pls.close(),
  };
}

/** Reads the lists of the language model servers once; a client that lists models refreshes them. */
async function createModelCatalogue({ config, log, languageModels }: FeaturesParts) {
  const discovery = new LanguageModelDiscovery({
    ...languageModels,
    onFault: (err, server) =>
      log.warn({ err, server }, 'Cannot read the model list of an LLM server'),
  });
  await discovery.refresh();
  const models: ModelCatalogue = new ModelCatalogue({
    prefix: config.MODEL_PREFIX,
    llmModels: () => discovery.models.map(({ id }) => id),
    refresh: async () => {
      const before = models.defaultLlmModel;
      await discovery.refresh();
      const model = models.defaultLlmModel;
      if (model !== before) {
        log.warn({ before, model }, 'The default model of agents without llm_model changed');
      }
    },
  });
  return { models, listLanguageModels: () => discovery.models };
}

function createAgentRoutes(parts: FeaturesParts, models: ModelCatalogue) {
  const { config, agents: repository, sipProvisioner: provisioner } = parts;
  const agents = new AgentService({
    ...parts,
    repository,
    provisioner,
    allowedHosts: new AllowedHosts(config.OUTBOUND_ALLOWED_HOSTS),
    languages: new InstalledLanguages({
      ...parts,
      hasSttProvider: (language) => hasSttProvider(config, language),
      modelFiles: MODEL_CATALOGUE,
    }),
  });
  return agentRoutes({ agents, models });
}

function createPhoneNumberRoutes(parts: FeaturesParts) {
  const { config, db, carriers, origin, sipProvisioner: provisioner } = parts;
  const repository = new PhoneNumbersRepository(db, config.PHONE_NUMBER_LIMIT);
  const numbers = new PhoneNumberService({ repository, carriers, origin, provisioner });
  return phoneNumberRoutes(numbers);
}
