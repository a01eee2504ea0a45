import {
  createOpenAiClient,
  type OpenAiServer,
} from '../../../agents-runtime/providers/openai-client.js';
import type { LanguageModelServer, ListedLanguageModel } from './language-model-settings.js';
import { BUILT_IN_RESPONDER } from './model-catalogue.js';

/** Lifetime of a list. */
const CACHE_MS = 60_000;
/** Timeout per server. */
const TIMEOUT_MS = 3_000;
const MAX_MODELS = 200;
const MAX_ID_LENGTH = 200;

export interface LanguageModelDiscoveryOptions {
  /** The configured models. */
  readonly named: readonly ListedLanguageModel[];
  readonly servers: readonly LanguageModelServer[];
  readonly listModelIds?: (server: OpenAiServer) => Promise<readonly string[]>;
  readonly now?: () => number;
  /** @param server - its host */
  readonly onFault: (error: unknown, server: string) => void;
}

/**
 * The language models that agents may name: the configured ones, then those that the other servers list.
 * Servers are queried at most once a minute; the last list of a server that does not respond is kept. If two
 * servers have a model of the same name, the second is `name@host`.
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

  /** The models as of the last query. */
  get models(): readonly ListedLanguageModel[] {
    return this.#models;
  }

  /** Queries the servers if the list is older than a minute. Never rejects; takes at most 3 s. */
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
        // Keeps the object, as connections are cached by it.
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
