import type { Knex } from 'knex';
import type { Config } from '../config/config.js';
import { AccountsRepository } from '../features/auth/accounts.repository.js';
import { ApiKeysRepository } from '../features/auth/api-keys.repository.js';
import { ApiKeyAuthenticator } from '../features/auth/authenticator.js';
import { JsonWebTokens } from '../features/auth/json-web-tokens.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

/** Who may come in: API keys, our own JWTs and, where configured, those of another issuer. */
export function openKeys(config: Config, db: Knex, secrets: SecretKeys): ApiKeyAuthenticator {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = config;
  const outside = jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined;
  return new ApiKeyAuthenticator({
    keys: new ApiKeysRepository(db),
    accounts: new AccountsRepository(db),
    tokens: new JsonWebTokens(secrets, outside),
  });
}
