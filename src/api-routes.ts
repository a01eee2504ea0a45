import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { systemClock } from '../agents-runtime/timing/system-clock.js';
import type { EncoderThread } from '../media/codec/encoder-thread.js';
import { MODEL_CATALOGUE } from '../media/models/catalogue.js';
import type { ModelStore } from '../media/models/store.js';
import { Synthesiser } from '../media/tts/synthesiser.js';
import type { TextToSpeech } from '../media/tts/text-to-speech.js';
import { VoiceRegistry } from '../media/tts/voice-registry.js';
import { Agents } from './agents/agents.js';
import { AgentsRepository } from './agents/agents.repository.js';
import { agentRoutes } from './agents/agents.routes.js';
import { hasRemoteRecogniser } from './calls/remote-ears.js';
import type { Config } from './config.js';
import type { OpenDictionaries } from './dictionaries/open-dictionaries.js';
import { googleRoutes } from './google/google.routes.js';
import type { Route } from './http/route.js';
import type { SocketRoute } from './http/upgrade.js';
import { AccountsRepository } from './keys/accounts.repository.js';
import { ApiKeysRepository } from './keys/api-keys.repository.js';
import { apiKeyRoutes } from './keys/api-keys.routes.js';
import type { KeyDirectory } from './keys/key-directory.js';
import type { OpenKnowledge } from './knowledge/open-knowledge.js';
import { liveKitAccess } from './livekit/livekit-access.js';
import { SipLines } from './livekit/sip-lines.js';
import type { ModelListing } from './models-listing/model-listing.js';
import { modelRoutes } from './models-listing/models.routes.js';
import { Carriers } from './numbers/carriers.js';
import { NumberOwnership } from './numbers/number-ownership.js';
import { Numbers } from './numbers/numbers.js';
import { NumbersRepository } from './numbers/numbers.repository.js';
import { numberRoutes } from './numbers/numbers.routes.js';
import { AllowedHosts } from './outbound/allowed-hosts.js';
import type { SecretBox } from './secrets/secret-box.js';
import { speechSockets } from './speech/sockets/speech-sockets.js';
import { type SpeechParts, speechRoutes } from './speech/speech.routes.js';
import { SpeechJobs } from './speech/speech-jobs.js';
import { SpeechSlots } from './speech/speech-slots.js';
import { InstalledLanguages } from './voices/installed-languages.js';
import { VoiceCatalogue } from './voices/voice-catalogue.js';
import { VoicesRepository } from './voices/voices.repository.js';
import { voiceRoutes } from './voices/voices.routes.js';

/** What the resources are made of. */
export interface ApiParts {
  readonly log: Logger;
  readonly config: Config;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly keys: KeyDirectory;
  readonly store: ModelStore;
  /** The default voice first. */
  readonly voices: readonly TextToSpeech[];
  readonly models: ModelListing;
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
  const catalogue = new VoiceCatalogue(MODEL_CATALOGUE, voices);
  const speech = speechParts(parts, catalogue);
  const access = liveKitAccess(parts.config);
  const lines = access && new SipLines(access, new NumberOwnership(db), parts.log);
  const routes = [
    ...modelRoutes(models),
    ...apiKeyRoutes({ keys: new ApiKeysRepository(db), directory: keys }),
    ...ownAgentRoutes(parts, lines),
    ...parts.knowledge.routes,
    ...ownNumberRoutes(parts, lines),
    ...parts.dictionaries.routes,
    ...googleRoutes(new AgentsRepository(db)),
    ...voiceRoutes({ builtin: catalogue, voices: new VoicesRepository(db) }),
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

function speechParts(parts: ApiParts, catalogue: VoiceCatalogue): SpeechParts {
  const { config, db, voices, models, encoders } = parts;
  return {
    credits: new AccountsRepository(db),
    jobs: new SpeechJobs({
      dictionaries: parts.dictionaries.compiled,
      ownVoices: new VoicesRepository(db),
      shelf: new VoiceRegistry(voices),
      catalogue,
      models,
      textLimit: config.TEXT_LIMIT,
    }),
    models,
    synthesiser: new Synthesiser(encoders),
    slots: new SpeechSlots({
      total: config.CONCURRENT_SPEECH,
      perAccount: config.CONCURRENT_SPEECH_PER_ACCOUNT,
    }),
    idleMs: AUDIO_IDLE_MS,
  };
}

function ownAgentRoutes(parts: ApiParts, lines: SipLines | undefined) {
  const { config, db, box, store, voices, models, knowledge, log } = parts;
  const repository = new AgentsRepository(db);
  const agents = new Agents({
    repository,
    box,
    allowedHosts: new AllowedHosts(config.OUTBOUND_ALLOWED_HOSTS),
    languages: new InstalledLanguages({
      isUnderstoodOutside: (language) => hasRemoteRecogniser(config, language),
      ownVoices: new VoicesRepository(db),
      voices,
      models: MODEL_CATALOGUE,
      store,
    }),
    knowledgeBases: knowledge.directory,
    log,
    numbers: new NumberOwnership(db),
  });
  return agentRoutes({ agents, repository, models, lines });
}

function ownNumberRoutes({ config, db, origin }: ApiParts, lines: SipLines | undefined) {
  const repository = new NumbersRepository(db, config.PHONE_NUMBER_SLOTS);
  const numbers = new Numbers({ repository, carriers: new Carriers(config), origin, lines });
  return numberRoutes({ numbers, repository });
}
