import {
  createOpenAiClient,
  type OpenAiServer,
} from '../../../agents-runtime/providers/openai-client.js';
import type { LanguageModelServer, ListedLanguageModel } from './language-model-settings.js';
import { BUILT_IN_RESPONDER } from './model-catalog.js';

/** An answer holds for so long. */
const CACHE_MS = 60_000;
/** Of one server. */
const TIMEOUT_MS = 3_000;
const MAX_MODELS = 200;
const MAX_ID_LENGTH = 200;

export interface LanguageModelDiscoveryOptions {
  /** Those that the settings name, which no server is asked for. */
  readonly named: readonly ListedLanguageModel[];
  readonly servers: readonly LanguageModelServer[];
  readonly listModelIds?: (server: OpenAiServer) => Promise<readonly string[]>;
  readonly now?: () => number;
  /** @param server its host. */
  readonly onFault: (error: unknown, server: string) => void;
}

/**
 * The language models that agents may name: those of the settings, then those that the other servers
 * say they have, asked once a minute at the most. A server that does not answer keeps what it had.
 * Where two have a model of one name, the second one's is called `name@host`.
 */
export class LanguageModelDiscovery {
  readonly #options: LanguageModelDiscoveryOptions;
  readonly #idsOf = new Map<LanguageModelServer, readonly string[]>();
  #models: readonly ListedLanguageModel[];
  #refreshing: Promise<void> | undefined;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: LanguageModelDiscoveryOptions) {
    this.#options = options;
    this.#models = options.named;
  }

  /** As they were when the servers were asked last. */
  get models(): readonly ListedLanguageModel[] {
    return this.#models;
  }

  /** Asks anew where that was long ago; one question at a time, which never lasts long nor fails. */
  async refresh(): Promise<void> {
    const { servers, now = Date.now } = this.#options;
    if (servers.length === 0) return;
    if (!this.#refreshing && now() - this.#refreshedAtMs < CACHE_MS) return;
    this.#refreshing ??= this.#queryServers().finally(() => {
      this.#refreshedAtMs = now();
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #queryServers(): Promise<void> {
    const { named, servers, listModelIds = fetchModelIds, onFault } = this.#options;
    await Promise.all(
      servers.map(async (server) => {
        try {
          const ids = await listModelIds(server);
          this.#idsOf.set(server, ids.filter(isUsable).slice(0, MAX_MODELS));
        } catch (error) {
          onFault(error, new URL(server.baseUrl).host);
        }
      }),
    );
    const models = new Map(named.map((model) => [model.id, model]));
    for (const server of servers) {
      for (const servedId of this.#idsOf.get(server) ?? []) {
        const isFree = !models.has(servedId) && servedId !== BUILT_IN_RESPONDER;
        const id = isFree ? servedId : `${servedId}@${new URL(server.baseUrl).host}`;
        if (models.has(id)) continue;
        // The same one stays the same: its connections are kept.
        const known = this.#models.find((one) => one.id === id && one.baseUrl === server.baseUrl);
        models.set(id, known ?? { ...server, id, ...(id !== servedId && { servedId }) });
      }
    }
    this.#models = [...models.values()];
  }
}

async function fetchModelIds(server: OpenAiServer): Promise<readonly string[]> {
  const client = createOpenAiClient(server, { timeout: TIMEOUT_MS, maxRetries: 0 });
  const { data } = await client.models.list({ signal: AbortSignal.timeout(TIMEOUT_MS) });
  return Array.isArray(data) ? data.map(({ id }) => id) : [];
}

function isUsable(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH;
}
