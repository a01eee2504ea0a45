import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import type { EncoderThread } from '../../media/codec/encoder-thread.js';
import { MODEL_CATALOGUE } from '../../media/models/catalogue.js';
import type { ModelStore } from '../../media/models/store.js';
import { Synthesiser } from '../../media/tts/synthesiser.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import { VoiceRegistry } from '../../media/tts/voice-registry.js';
import { hasSttProvider } from '../calls/providers/stt-providers.js';
import { liveKitAccess } from '../channels/livekit/livekit-credentials.js';
import { SipProvisioner } from '../channels/livekit/sip-provisioner.js';
import type { Config } from '../config/config.js';
import { googleRoutes } from '../features/agent-tools/google.routes.js';
import { AgentsRepository } from '../features/agents/agents.repository.js';
import { agentRoutes } from '../features/agents/agents.routes.js';
import { AgentService } from '../features/agents/agents.service.js';
import { AccountsRepository } from '../features/auth/accounts.repository.js';
import { ApiKeysRepository } from '../features/auth/api-keys.repository.js';
import { apiKeyRoutes } from '../features/auth/api-keys.routes.js';
import type { ApiKeyAuthenticator } from '../features/auth/authenticator.js';
import type { ModelCatalog } from '../features/model-catalog/model-catalog.js';
import { modelRoutes } from '../features/model-catalog/models.routes.js';
import { NumberOwnership } from '../features/ownership/number-ownership.js';
import { CarrierRegistry } from '../features/phone-numbers/carrier-registry.js';
import { PhoneNumbersRepository } from '../features/phone-numbers/phone-numbers.repository.js';
import { phoneNumberRoutes } from '../features/phone-numbers/phone-numbers.routes.js';
import { PhoneNumberService } from '../features/phone-numbers/phone-numbers.service.js';
import { speechSockets } from '../features/speech/sockets/speech-sockets.js';
import { type SpeechParts, speechRoutes } from '../features/speech/speech.routes.js';
import { SpeechService } from '../features/speech/speech.service.js';
import { SpeechQuota } from '../features/speech/speech-quota.js';
import { InstalledLanguages } from '../features/voices/language-availability.js';
import { VoiceCatalog } from '../features/voices/voice-catalog.js';
import { VoicesRepository } from '../features/voices/voices.repository.js';
import { voiceRoutes } from '../features/voices/voices.routes.js';
import { VoiceService } from '../features/voices/voices.service.js';
import { AllowedHosts } from '../platform/egress/allowed-hosts.js';
import type { Route } from '../platform/http/route.js';
import type { SocketRoute } from '../platform/http/websocket-router.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import type { OpenKnowledge } from './knowledge.module.js';
import type { OpenDictionaries } from './open-dictionaries.js';

/** What the resources are made of. */
export interface ApiParts {
  readonly log: Logger;
  readonly config: Config;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly keys: ApiKeyAuthenticator;
  readonly store: ModelStore;
  /** The default voice first. */
  readonly voices: readonly TextToSpeech[];
  readonly models: ModelCatalog;
  readonly encoders: EncoderThread;
  /** `http(s)://host[:port]` by which others reach this gateway; undefined where not known. */
  readonly origin: () => string | undefined;
  readonly knowledge: Pick<OpenKnowledge, 'directory' | 'routes'>;
  readonly dictionaries: Pick<OpenDictionaries, 'compiled' | 'routes'>;
}

/** After this time a client that takes none of its audio is cut off. */
const AUDIO_IDLE_MS = 30_000;

/** Every route below `/api/v1`, and the sockets beside those of calls. */
export interface Api {
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketRoute[];
}

/** Builds the resources. */
export function openApi(parts: ApiParts): Api {
  const { db, keys, voices, models } = parts;
  const catalogue = new VoiceCatalog(MODEL_CATALOGUE, voices);
  const speech = speechParts(parts, catalogue);
  const access = liveKitAccess(parts.config);
  const lines = access && new SipProvisioner(access, new NumberOwnership(db), parts.log);
  const routes = [
    ...modelRoutes(models),
    ...apiKeyRoutes({ keys: new ApiKeysRepository(db), directory: keys }),
    ...ownAgentRoutes(parts, lines),
    ...parts.knowledge.routes,
    ...ownNumberRoutes(parts, lines),
    ...parts.dictionaries.routes,
    ...googleRoutes(new AgentsRepository(db)),
    ...voiceRoutes(new VoiceService({ builtin: catalogue, voices: new VoicesRepository(db) })),
    ...speechRoutes(speech),
  ];
  return {
    routes,
    sockets: speechSockets({
      ...speech,
      clock: systemClock,
      textLimit: parts.config.TEXT_LIMIT,
      maxMessageBytes: parts.config.MAX_BODY_BYTES,
    }),
  };
}

function speechParts(parts: ApiParts, catalogue: VoiceCatalog): SpeechParts {
  const { config, db, voices, models, encoders } = parts;
  return {
    credits: new AccountsRepository(db),
    speech: new SpeechService({
      dictionaries: parts.dictionaries.compiled,
      ownVoices: new VoicesRepository(db),
      voices: new VoiceRegistry(voices),
      builtinVoices: catalogue,
      models,
      textLimit: config.TEXT_LIMIT,
    }),
    models,
    synthesiser: new Synthesiser(encoders),
    quota: new SpeechQuota({
      total: config.CONCURRENT_SPEECH,
      perAccount: config.CONCURRENT_SPEECH_PER_ACCOUNT,
    }),
    idleMs: AUDIO_IDLE_MS,
  };
}

function ownAgentRoutes(parts: ApiParts, lines: SipProvisioner | undefined) {
  const { config, db, box, store, voices, models, knowledge, log } = parts;
  const repository = new AgentsRepository(db);
  const agents = new AgentService({
    repository,
    box,
    allowedHosts: new AllowedHosts(config.OUTBOUND_ALLOWED_HOSTS),
    languages: new InstalledLanguages({
      hasSttProvider: (language) => hasSttProvider(config, language),
      ownVoices: new VoicesRepository(db),
      voices,
      models: MODEL_CATALOGUE,
      store,
    }),
    knowledgeBases: knowledge.directory,
    log,
    numbers: new NumberOwnership(db),
  });
  return agentRoutes({ agents, repository, models, provisioner: lines });
}

function ownNumberRoutes({ config, db, origin }: ApiParts, lines: SipProvisioner | undefined) {
  const repository = new PhoneNumbersRepository(db, config.PHONE_NUMBER_SLOTS);
  const numbers = new PhoneNumberService({
    repository,
    carriers: new CarrierRegistry(config),
    origin,
    provisioner: lines,
  });
  return phoneNumberRoutes(numbers);
}
