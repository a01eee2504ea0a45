import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import type { AgentProvisioner } from '../../../../src/features/agents/agents.ports.js';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import { agentRoutes } from '../../../../src/features/agents/agents.routes.js';
import { AgentService } from '../../../../src/features/agents/agents.service.js';
import { AccountsRepository } from '../../../../src/features/auth/accounts.repository.js';
import { makeApiKey } from '../../../../src/features/auth/api-key.js';
import { ApiKeysRepository } from '../../../../src/features/auth/api-keys.repository.js';
import { apiKeyRoutes } from '../../../../src/features/auth/api-keys.routes.js';
import { ApiKeyAuthenticator } from '../../../../src/features/auth/authenticator.js';
import { JsonWebTokens } from '../../../../src/features/auth/json-web-tokens.js';
import { DocumentsRepository } from '../../../../src/features/knowledge/documents.repository.js';
import { FileIntake } from '../../../../src/features/knowledge/file-intake.js';
import { KnowledgeRepository } from '../../../../src/features/knowledge/knowledge.repository.js';
import { knowledgeRoutes } from '../../../../src/features/knowledge/knowledge.routes.js';
import { KnowledgeService } from '../../../../src/features/knowledge/knowledge.service.js';
import { ModelCatalogue } from '../../../../src/features/model-catalogue/model-catalogue.js';
import { NumberOwnership } from '../../../../src/features/ownership/number-ownership.js';
import type { BuiltinVoice } from '../../../../src/features/voices/voice-catalogue.js';
import { VoicesRepository } from '../../../../src/features/voices/voices.repository.js';
import { voiceRoutes } from '../../../../src/features/voices/voices.routes.js';
import { VoiceService } from '../../../../src/features/voices/voices.service.js';
import { AllowedHosts } from '../../../../src/platform/egress/allowed-hosts.js';
import { IdempotencyService } from '../../../../src/platform/http/idempotency.js';
import { IdempotencyRepository } from '../../../../src/platform/http/idempotency.repository.js';
import { RateLimiter, type RateLimits } from '../../../../src/platform/http/rate-limit.js';
import type { Route } from '../../../../src/platform/http/route.js';
import type { Scope } from '../../../../src/platform/http/scopes.js';
import {
  type SocketRoute,
  WebSocketRouter,
} from '../../../../src/platform/http/websocket-router.js';
import { Metrics } from '../../../../src/platform/observability/metrics.js';
import { SecretBox } from '../../../../src/platform/secrets/secret-box.js';
import { SecretKeys } from '../../../../src/platform/secrets/secret-keys.js';
import { addressIn, createApp } from '../../../../src/server.js';
import { findAccount } from '../../../../tools/admin/accounts.js';
import { assignNumber } from '../../../../tools/admin/phone-numbers.js';
import { type TestDatabase, withDatabase } from '../postgres/test-database.js';

const NO_LIMITS: RateLimits = { requestsPerMinute: 0, failedAuthsPerMinute: 0 };

export const EMBEDDING_MODEL = 'minilm-l6-v2-int8';

export const BUILTIN_VOICE: BuiltinVoice = {
  id: 'ada',
  name: 'Ada',
  language: 'en',
  sampleRate: 24_000,
  engine: 'test',
  isInstalled: true,
  isDefault: true,
};

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; the text of other content types. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
  readonly body: any;
}

export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

export interface ControlPlane {
  /** Base URL of the app. */
  readonly url: string;
  readonly database: TestDatabase;
  readonly box: SecretBox;
  readonly tokens: JsonWebTokens;
  readonly authenticator: ApiKeyAuthenticator;
  /** Sends requests below `/api/v1` with a bearer token, or without one for null. */
  askAs(bearer: string | null): Ask;
  /** Creates an account and returns its ID. */
  makeAccount(): Promise<string>;
  /** Creates an API key of an account and returns its text. */
  makeKey(accountId: string, scopes?: readonly Scope[]): Promise<string>;
  /**
   * Sends requests as a new account with a key of all scopes. @param numbers phone numbers of the
   * account
   */
  asNewAccount(...numbers: readonly string[]): Promise<Ask>;
  /** Assigns phone numbers to an account, as the operator does. */
  assignNumbers(accountId: string, ...numbers: readonly string[]): Promise<void>;
}

export interface ControlPlaneOptions {
  readonly allowedHosts?: readonly string[];
  /** Notified of deployed agents. */
  readonly provisioner?: AgentProvisioner;
  /** Languages that agents may use. Default: `en`. */
  readonly languages?: readonly string[];
  /** Routes in addition to those of keys, agents, knowledge bases and voices. */
  readonly routes?: (db: Knex, secrets: SecretKeys) => readonly Route[];
  /** Handlers outside `/api/v1`. */
  readonly carrierWebhooks?: (db: Knex, secrets: SecretKeys) => readonly RequestHandler[];
  /** WebSocket routes. */
  readonly sockets?: (db: Knex, secrets: SecretKeys) => readonly SocketRoute[];
  readonly trustProxy?: boolean;
  /** Default: no limits. */
  readonly limits?: RateLimits;
  /** Interval of the key checks of open sockets, in milliseconds. */
  readonly keyCheckMs?: number;
  /** Called when there are documents to index; nothing indexes them here. */
  readonly onDocuments?: () => void;
  readonly whyIndexingWaits?: () => string | undefined;
  /** Receives the log of the agent service. */
  readonly log?: Logger;
}

/** Accounts, keys, agents and voices behind a listening app with a separate database. */
export function withControlPlane(options: ControlPlaneOptions = {}): ControlPlane {
  const database = withDatabase();
  const secrets = new SecretKeys(['the secret of the tests']);
  const box = new SecretBox(secrets);
  const tokens = new JsonWebTokens(secrets);
  const metrics = new Metrics();
  let server: Server | undefined;
  let sockets: WebSocketRouter | undefined;
  let authenticator: ApiKeyAuthenticator | undefined;
  beforeAll(async () => {
    const { db } = database;
    const apiKeys = new ApiKeysRepository(db);
    authenticator = new ApiKeyAuthenticator({
      keys: apiKeys,
      accounts: new AccountsRepository(db),
      tokens,
    });
    const routes = [
      ...apiKeyRoutes({ apiKeys, authenticator }),
      ...testAgentRoutes(database, box, options),
      ...voiceRoutes(
        new VoiceService({
          builtin: { list: () => [BUILTIN_VOICE] },
          voices: new VoicesRepository(db),
        }),
      ),
      ...(options.routes?.(db, secrets) ?? []),
    ];
    const limiter = new RateLimiter(options.limits ?? NO_LIMITS);
    const app = createApp({
      log: pino({ level: 'silent' }),
      metrics,
      routes,
      authenticator: authenticator,
      limiter,
      idempotency: new IdempotencyService(new IdempotencyRepository(db), box),
      maxBodyBytes: 1_048_576,
      health: [],
      carrierWebhooks: options.carrierWebhooks?.(db, secrets) ?? [],
      trustProxy: options.trustProxy ?? false,
    });
    server = createServer(app).listen(0, '127.0.0.1');
    sockets = new WebSocketRouter(options.sockets?.(db, secrets) ?? [], {
      authenticator: authenticator,
      limiter,
      log: pino({ level: 'silent' }),
      addressOf: addressIn(app),
      keyCheckMs: options.keyCheckMs,
    });
    server.on('upgrade', sockets.handle);
    await once(server, 'listening');
  });
  afterAll(() => {
    metrics.close();
    sockets?.close();
    server?.closeAllConnections();
    server?.close();
  });
  const found = <T>(part: T | undefined): T => {
    if (!part)
      throw new Error('withControlPlane(): its parts are available in tests and hooks only');
    return part;
  };
  const urlOf = () => {
    const { port } = found(server).address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  };
  const askAs = (bearer: string | null): Ask => {
    return async (method, path, body, extra = {}) => {
      const isForm = body instanceof FormData;
      const response = await fetch(`${urlOf()}/api/v1${path}`, {
        method,
        headers: {
          ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
          ...extra,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('application/json');
      const { status, headers } = response;
      return { status, headers, body: isJson ? JSON.parse(text) : text };
    };
  };
  const makeAccount = () => new AccountsRepository(database.db).insert('An account of a test');
  const makeKey = async (accountId: string, scopes: readonly Scope[] = ['*']) => {
    const key = makeApiKey();
    const fields = { name: 'test', description: null, isActive: true, expiresAt: null };
    await new ApiKeysRepository(database.db).insert(accountId, key, { ...fields, scopes });
    return key.text;
  };
  const assignNumbers = async (accountId: string, ...numbers: readonly string[]) => {
    for (const number of numbers) {
      const account = await findAccount(database.db, accountId);
      await assignNumber(database.db, account, number);
    }
  };
  return {
    get url() {
      return urlOf();
    },
    database,
    box,
    tokens,
    get authenticator() {
      return found(authenticator);
    },
    askAs,
    makeAccount,
    makeKey,
    assignNumbers,
    async asNewAccount(...numbers) {
      const accountId = await makeAccount();
      await assignNumbers(accountId, ...numbers);
      return askAs(await makeKey(accountId));
    },
  };
}

function testAgentRoutes(
  database: TestDatabase,
  box: SecretBox,
  {
    allowedHosts = [],
    languages = ['en'],
    onDocuments = () => undefined,
    whyIndexingWaits = () => undefined,
    provisioner,
    log = pino({ level: 'silent' }),
  }: ControlPlaneOptions,
) {
  const repository = new AgentsRepository(database.db);
  const knowledge = new KnowledgeRepository(database.db, EMBEDDING_MODEL);
  const documents = new DocumentsRepository(database.db, EMBEDDING_MODEL);
  const agents = new AgentService({
    repository,
    box,
    allowedHosts: new AllowedHosts(allowedHosts),
    languages: {
      problemWith: async ({ language }) =>
        languages.includes(language) ? undefined : `Nothing speaks ${language}`,
    },
    knowledgeBases: knowledge,
    log,
    numbers: new NumberOwnership(database.db),
    provisioner,
  });
  const models = new ModelCatalogue({ prefix: 'svc', llmModels: [] });
  return [
    ...agentRoutes({ agents, models }),
    ...knowledgeRoutes(
      new KnowledgeService({
        knowledge,
        documents,
        intake: new FileIntake(documents),
        onDocuments,
        whyIndexingWaits,
      }),
      { maxFileBytes: 1_048_576 },
    ),
  ];
}
