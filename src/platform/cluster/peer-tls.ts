import { constants } from 'node:crypto';
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import type { SecretKeys } from '../secrets/secret-keys.js';

/**
 * TLS 1.2, as Node supports pre-shared keys only there. The cipher suite has forward secrecy (ECDHE)
 * and authenticated encryption, and needs no certificate.
 */
const PROTOCOL = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
} as const;

/**
 * The pre-shared keys that gateways authenticate each other with. Each secret in SECRET_KEY gives one
 * key. A key's id is its PSK identity, so that keys can rotate.
 */
export class PeerKeys {
  readonly #keys: ReturnType<SecretKeys['derive']>;

  constructor(secrets: SecretKeys) {
    this.#keys = secrets.derive('peer-api');
  }

  /** Accepts every key. The hint names the current one. */
  get serverOptions(): TlsOptions {
    return {
      ...PROTOCOL,
      // Every connection proves its key: no session is resumed.
      secureOptions: constants.SSL_OP_NO_TICKET,
      pskIdentityHint: this.#keys[0].id,
      pskCallback: (_socket, identity) => this.#find(identity)?.bytes ?? null,
    };
  }

  /** Uses the key that the server's hint names, or the current key if the hint is unknown. */
  get clientOptions(): ConnectionOptions {
    return {
      ...PROTOCOL,
      pskCallback: (hint) => {
        const { id, bytes } = (hint === null ? undefined : this.#find(hint)) ?? this.#keys[0];
        return { identity: id, psk: bytes };
      },
      // There is no certificate. The handshake itself proves that the server has the key.
      checkServerIdentity: () => undefined,
    };
  }

  #find(id: string) {
    return this.#keys.find((key) => key.id === id);
  }
}
