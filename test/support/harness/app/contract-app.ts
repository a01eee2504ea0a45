import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { AccountsRepository } from '../../../../src/features/auth/accounts.repository.js';
import { makeApiKey } from '../../../../src/features/auth/api-key.js';
import { ApiKeysRepository } from '../../../../src/features/auth/api-keys.repository.js';
import type { Scope } from '../../../../src/platform/http/scopes.js';
import { insertCall } from '../postgres/call-rows.js';
import { type TestDatabase, withDatabase } from '../postgres/test-database.js';
import { type Product, startProduct } from '../process/product.js';
import { ApiDocument, type Operation } from './openapi-document.js';

/** One route of the public contract, transcribed from its documents. */
export interface ContractRoute {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: readonly string[];
  readonly status: number;
  readonly answer: readonly string[];
  readonly errors: readonly number[];
}

export const CONTRACT: readonly ContractRoute[] = JSON.parse(
  readFileSync('test/fixtures/contract.json', 'utf8'),
);

export const SECRET = 'the secret of the contract test';

export interface Account {
  readonly id: string;
  readonly key: string;
}

export interface KeyState {
  readonly isActive?: boolean;
  readonly expiresAt?: Date | null;
}

export interface ContractRequest {
  readonly bearer?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `METHOD path`, without a trailing slash. */
export const nameOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replace(/\/$/, '')}`;

/**
 * The running product, its OpenAPI document, and an account that owns one resource of each kind.
 */
export class ContractPlane {
  readonly product: Product;
  readonly api: ApiDocument;
  readonly database: TestDatabase;
  /** The owner's resources, keyed by path parameter or field name. */
  resources: Readonly<Record<string, string>> = {};
  #owner: Account | undefined;

  constructor(product: Product, api: ApiDocument, database: TestDatabase) {
    this.product = product;
    this.api = api;
    this.database = database;
  }

  get owner(): Account {
    if (!this.#owner) throw new Error('The contract plane has no owner before open()');
    return this.#owner;
  }

  async open(): Promise<void> {
    this.#owner = await this.makeAccount();
    await this.renewResources();
  }

  async makeAccount(): Promise<Account> {
    const id = await new AccountsRepository(this.database.db).insert('An account of a test');
    return { id, key: await this.makeKey(id, ['*']) };
  }

  async makeKey(
    accountId: string,
    scopes: readonly Scope[],
    { isActive = true, expiresAt = null }: KeyState = {},
  ): Promise<string> {
    const key = makeApiKey();
    const fields = { name: 'test', description: null, isActive, expiresAt, scopes };
    await new ApiKeysRepository(this.database.db).insert(accountId, key, fields);
    return key.text;
  }

  async ask(method: string, path: string, { bearer, body, headers }: ContractRequest = {}) {
    const isReady = body instanceof FormData || typeof body === 'string';
    const response = await fetch(`${this.product.url}${path}`, {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined &&
          !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isReady ? body : JSON.stringify(body) }),
    });
    const isJson = response.headers.get('content-type')?.includes('application/json');
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      isJson,
      body: isJson ? JSON.parse(text) : text,
    };
  }

  /** Creates new resources for the owner. */
  async renewResources(): Promise<void> {
    const { id: accountId, key: bearer } = this.owner;
    const make = async (path: string, body: unknown) =>
      (await this.ask('POST', `/api/v1${path}`, { bearer, body })).body;
    const agent = await make('/agent', { name: 'Pool', config: {} });
    const knowledge = await make('/knowledge-base', {
      documents: [{ content: 'We open at six.' }],
    });
    const dictionary = await make('/tts/pronunciation-dictionaries/add-from-rules', {
      name: 'Names',
    });
    const key = await make('/auth/api-key', { name: 'Spare', scopes: [] });
    const callId = await insertCall(this.database.db, {
      accountId,
      startedAt: new Date(),
      turns: [{ role: 'user', text: 'Hi.' }],
    });
    this.resources = {
      agent_id: agent.agent_id,
      kb_id: String(knowledge.kb_id),
      dictionary_id: dictionary.id,
      version: '1',
      key_id: String(key.key_info.id),
      call_id: callId,
      file: 'transcript.json',
      voice_id: await this.#makePrivateVoice(),
      number: '+14155550100',
      document_id: String(await this.#addDocument(knowledge.kb_id)),
      // The route looks up the agent first, so any delivery ID works.
      delivery_id: 'nobody',
    };
  }

  async #addDocument(kbId: number): Promise<number> {
    const body = new FormData();
    body.set('file', new Blob(['We close at ten.']), 'closing.txt');
    const path = `/api/v1/knowledge-base/${kbId}/documents`;
    return (await this.ask('POST', path, { bearer: this.owner.key, body })).body.document_id;
  }

  /** Private, because every account may read public voices. */
  async #makePrivateVoice(): Promise<string> {
    const body = new FormData();
    body.set('file', new Blob(['RIFF\0\0\0\0WAVEfmt ']), 'voice.wav');
    body.set('voice_visibility', 'PRIVATE');
    const bearer = this.owner.key;
    const answer = await this.ask('POST', '/api/v1/tts/clone-voice', { bearer, body });
    expect(answer.body.voice_id).toEqual(expect.any(String));
    return answer.body.voice_id;
  }

  /** The path with the owner's resources filled in. Fails the test for an unknown parameter. */
  pathOf({ path, parameters }: Operation): string {
    const query = parameters.filter((one) => one.in === 'query' && one.required);
    const queryParts = query.map(
      ({ name }) => `${name}=${encodeURIComponent(this.#resource(name))}`,
    );
    return (
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        return this.#resource(name);
      }) + (queryParts.length > 0 ? `?${queryParts.join('&')}` : '')
    );
  }

  #resource(name: string): string {
    expect(this.resources).toHaveProperty(name);
    return this.resources[name]!;
  }

  /** The documented example body, with the IDs of the owner's resources. */
  bodyOf(operation: Operation): unknown {
    const content = operation.requestBody?.content;
    if (!content) return undefined;
    if (!content['application/json']) {
      const form = new FormData();
      form.set('file', new Blob(['none of the formats']), 'file.bin');
      form.set('name', 'Names');
      form.set('language', 'en');
      return form;
    }
    const example = content['application/json'].example;
    expect(example, `${operation.method} ${operation.path} has an example`).toBeDefined();
    const { agent_id, kb_id } = this.resources;
    return {
      ...example,
      ...(example.agent_id !== undefined && { agent_id }),
      ...(example.kb_id !== undefined && { kb_id: Number(kb_id) }),
    };
  }
}

/** Starts the product before a file's tests. @param settings further environment variables */
export function withContractPlane(
  settings: Readonly<Record<string, string>> = {},
): () => ContractPlane {
  const database = withDatabase();
  let product: Product | undefined;
  let plane: ContractPlane | undefined;
  beforeAll(async () => {
    const { host, port, user, database: name } = database.connection;
    product = await startProduct({
      env: {
        DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`,
        SECRET_KEY: SECRET,
        // Never contacted: requests that would contact it are rejected earlier.
        TWILIO_ACCOUNT_SID: 'AC0001',
        TWILIO_AUTH_TOKEN: 'test_auth_token',
        TWILIO_BASE_URL: 'http://127.0.0.1:9',
        REQUESTS_PER_MINUTE: '0',
        FAILED_AUTHS_PER_MINUTE: '0',
        ...settings,
      },
    });
    const document = await (await fetch(`${product.url}/openapi.json`)).json();
    plane = new ContractPlane(product, new ApiDocument(document), database);
    await plane.open();
  });
  afterAll(() => product?.stop());
  return () => {
    if (!plane)
      throw new Error('withContractPlane(): the plane is available in tests and hooks only');
    return plane;
  };
}
