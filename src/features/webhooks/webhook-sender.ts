import { randomUUID } from 'node:crypto';
import type {
  EgressClient,
  EgressRequest,
  EgressResponse,
} from '../../platform/egress/egress-client.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { signatureHeaders } from './webhook-signature.js';

/** An entry of an agent's webhooks, as far as sending goes. */
export interface WebhookTarget {
  readonly url: string;
  /** Sealed for the agent. */
  readonly secret?: string | null | undefined;
  /** Seconds. */
  readonly timeout: number;
}

export interface WebhookMessage {
  readonly agentId: string;
  readonly target: WebhookTarget;
  readonly id: string;
  /** JSON. */
  readonly body: string;
  readonly timeoutMs?: number;
}

type ResponseLimits = Pick<EgressRequest, 'maxBytes' | 'onTooLarge'>;

/** An id for a message that is new. */
export function makeMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

/** Sends signed JSON to the addresses of webhooks, by the guarded client. */
export class WebhookSender {
  readonly #client: EgressClient;
  readonly #box: SecretBox;

  constructor(client: EgressClient, box: SecretBox) {
    this.#client = client;
    this.#box = box;
  }

  /**
   * One try. Without `reading` only the answer's status counts, and its body is not waited for.
   * @throws EgressError without an answer; SealError when the secret's key is gone
   */
  send(
    message: WebhookMessage,
    reading: ResponseLimits = { maxBytes: 0 },
  ): Promise<EgressResponse> {
    const { agentId, target, id, body } = message;
    const secret = target.secret ? this.#box.open(target.secret, agentId) : null;
    const timestamp = Math.floor(Date.now() / 1_000);
    return this.#client.request({
      url: target.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders({ id, timestamp, body, secret }),
      },
      body,
      timeoutMs: message.timeoutMs ?? target.timeout * 1_000,
      ...reading,
    });
  }
}
