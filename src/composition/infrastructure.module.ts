import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { AgentsRepository } from '../features/agents/agents.repository.js';
import { findSealKeyIds } from '../features/agents/secret-rotation.js';
import { insertSeedAgent } from '../features/agents/seed-agent.js';
import { AccountsRepository } from '../features/auth/accounts.repository.js';
import { ApiKeysRepository } from '../features/auth/api-keys.repository.js';
import { ApiKeyAuthenticator } from '../features/auth/authenticator.js';
import { ensureFirstAccount } from '../features/auth/first-account.js';
import { JsonWebTokens } from '../features/auth/json-web-tokens.js';
import { NumberOwnership } from '../features/ownership/number-ownership.js';
import { VoicesRepository } from '../features/voices/voices.repository.js';
import { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import { connect, urlOf } from '../platform/db/connect.js';
import { startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.js';
import { migrate } from '../platform/db/migrate.js';
import { tryListening } from '../platform/http/listen.js';
import { RateLimiter } from '../platform/http/rate-limit.js';
import { prepareDataDir } from '../platform/process/data-dir.js';
import type { Shutdown } from '../platform/process/shutdown.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { loadSecretKeys, type SecretKeys } from '../platform/secrets/secret-keys.js';

export interface InfrastructureParts {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  /** Workers of a cluster listen on the port that the primary process has checked. */
  readonly isWorker: boolean;
  /** Called when the embedded database server has ended and cannot be restarted. */
  readonly onFatal: (error: unknown) => void;
}

/** Per gateway: a pool of 10, 4 connections for searches, 3 for jobs, 1 listener, 1 for a lock, and 1 spare. */
const CONNECTIONS_PER_GATEWAY = 20;
const OTHER_CONNECTIONS = 10;
const MIN_CONNECTIONS = 50;

const UNREADABLE_SECRETS =
  'Some stored secrets are encrypted with a secret that SECRET_KEY does not contain: add the older secret after the newest one';

/** The database, the secrets, authentication, and the repositories that several modules use. */
export async function createInfrastructureModule(parts: InfrastructureParts) {
  const { config, log, isWorker } = parts;
  await prepareDataDir(config.DATA_DIR);
  const { db, databaseUrl } = await openDatabase(parts);
  const port = isWorker ? config.PORT : await tryListening(config.HOST, config.PORT);
  const secrets = await loadSecretKeys(config.DATA_DIR, config.SECRET_KEY);
  const box = new SecretBox(secrets);
  const isReadable = (await findSealKeyIds(db)).every((id) => box.holds(id));
  if (!isReadable) log.error(UNREADABLE_SECRETS);
  const repositories = createRepositories(db);
  const firstKey = await ensureFirstAccount({
    ...repositories,
    db,
    dataDir: config.DATA_DIR,
    onCreated: (transaction, accountId) =>
      insertSeedAgent(repositories.agents.within(transaction), accountId),
  });
  return {
    ...repositories,
    db,
    databaseUrl,
    port,
    secrets,
    box,
    firstKey,
    authenticator: createAuthenticator({ ...repositories, config, secrets }),
    limiter: new RateLimiter(
      {
        requestsPerMinute: config.REQUESTS_PER_MINUTE,
        failedAuthsPerMinute: config.FAILED_AUTHS_PER_MINUTE,
      },
      db,
    ),
  };
}

function createRepositories(db: Knex) {
  return {
    accounts: new AccountsRepository(db),
    agents: new AgentsRepository(db),
    apiKeys: new ApiKeysRepository(db),
    gateways: new GatewaysRepository(db),
    numbers: new NumberOwnership(db),
    ownVoices: new VoicesRepository(db),
  };
}

interface AuthenticatorParts {
  readonly config: Config;
  readonly secrets: SecretKeys;
  readonly accounts: AccountsRepository;
  readonly apiKeys: ApiKeysRepository;
}

/** Accepts API keys, JWTs of this product and, where configured, those of another issuer. */
function createAuthenticator({ config, secrets, accounts, apiKeys }: AuthenticatorParts) {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = config;
  const otherIssuer = jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined;
  const tokens = new JsonWebTokens(secrets, otherIssuer);
  return new ApiKeyAuthenticator({ keys: apiKeys, accounts, tokens });
}

/** Connects to the configured or the embedded database and brings its schema up to date. */
async function openDatabase({ config, log, shutdown, onFatal: onLost }: InfrastructureParts) {
  let databaseUrl = config.DATABASE_URL;
  if (databaseUrl === undefined) {
    const { DATA_DIR: dataDir, PARLEY_CACHE: cacheDir } = config;
    const needed = OTHER_CONNECTIONS + CONNECTIONS_PER_GATEWAY * config.GATEWAYS;
    const maxConnections = Math.max(MIN_CONNECTIONS, needed);
    const starting = startEmbeddedPostgres({ dataDir, cacheDir, log, onLost, maxConnections });
    // Registered before the server runs, so that a cancelled start also stops a server that starts late.
    shutdown.add('database', async () => (await starting.catch(() => undefined))?.stop());
    const database = await starting;
    shutdown.throwIfRequested();
    databaseUrl = urlOf(database.connection);
  }
  const db = connect(databaseUrl);
  shutdown.add('database pool', () => db.destroy());
  await migrate(db);
  shutdown.throwIfRequested();
  return { db, databaseUrl };
}
