import type { Knex } from 'knex';
import type { Config } from '../config.js';
import type { SecretKeys } from '../secrets/secret-keys.js';
import { AccountsRepository } from './accounts.repository.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { JsonWebTokens } from './json-web-tokens.js';
import { KeyDirectory } from './key-directory.js';

/** Who may come in: API keys, our own JWTs and, where configured, those of another issuer. */
export function openKeys(config: Config, db: Knex, secrets: SecretKeys): KeyDirectory {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = config;
  const outside = jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined;
  return new KeyDirectory({
    keys: new ApiKeysRepository(db),
    accounts: new AccountsRepository(db),
    tokens: new JsonWebTokens(secrets, outside),
  });
}
