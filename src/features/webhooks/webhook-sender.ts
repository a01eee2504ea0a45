import { randomUUID } from 'node:crypto';
import type {
  EgressClient,
  EgressRequest,
  EgressResponse,
} from '../../platform/egress/egress-client.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { signatureHeaders } from './webhook-signature.js';

/** The address of a webhook. */
export interface WebhookTarget {
  readonly url: string;
  /** Encrypted for the agent. */
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

/** Creates a message id. */
export function makeMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

/** Sends signed JSON to webhooks through the guarded client. */
export class WebhookSender {
  readonly #client: EgressClient;
  readonly #box: SecretBox;

  constructor(client: EgressClient, box: SecretBox) {
    this.#client = client;
    this.#box = box;
  }

  /**
   * Makes one attempt. Without `reading`, the response body is not read.
   * @throws EgressError without a response; SealError if the key of the secret is missing
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
