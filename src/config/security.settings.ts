import { z } from 'zod';
import { allOrNone, hostsOrNetworks, trustedUrl } from './setting-types.js';

/** Shortest secret of `SECRET_KEY`, characters. */
export const MIN_SECRET_LENGTH = 16;
/** Maximum number of secrets in `SECRET_KEY`. */
export const MAX_SECRETS = 16;

/** Keys, tokens and the addresses that outgoing requests may reach. */
export const SecuritySettings = z
  .object({
    SECRET_KEY: z
      .string()
      .refine(
        hasValidSecrets,
        'one secret of at least 16 characters, or a comma list of them, the newest first',
      )
      .optional()
      .meta({
        defaultText: 'generated in `DATA_DIR/secret-key`',
        description:
          'Secret from which all keys are derived, at least 16 characters. A comma list rotates it, the newest first. Back it up with the data: without it, stored secrets cannot be decrypted.',
      }),
    METRICS_TOKEN: z
      .string()
      .regex(/^[\x21-\x7e]{16,1024}$/, 'a secret of at least 16 characters without spaces')
      .optional()
      .meta({
        description:
          'Bearer token for `/metrics`, at least 16 characters. Without it, only direct clients on the same machine can read the metrics.',
      }),
    OUTBOUND_ALLOWED_HOSTS: hostsOrNetworks().default([]).meta({
      description:
        'Hosts and networks (CIDR) with private addresses that webhooks and tools may reach, also by plain HTTP. A comma list.',
    }),
    JWT_JWKS_URL: trustedUrl().optional().meta({
      description:
        'Key set (JWKS) of another issuer whose JWTs are accepted. An https URL, or http on the loopback. Needs `JWT_ISSUER` and `JWT_AUDIENCE`.',
    }),
    JWT_ISSUER: z.string().optional().meta({ description: 'Required `iss` of these JWTs.' }),
    JWT_AUDIENCE: z.string().optional().meta({ description: 'Required `aud` of these JWTs.' }),
  })
  .refine(...allOrNone('JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'));

function hasValidSecrets(text: string): boolean {
  const secrets = text.split(',').map((secret) => secret.trim());
  return (
    secrets.length <= MAX_SECRETS && secrets.every(({ length }) => length >= MIN_SECRET_LENGTH)
  );
}
