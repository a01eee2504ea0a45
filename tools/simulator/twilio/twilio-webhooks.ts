import { signTwilio } from '../../../src/channels/twilio/twilio-signature.js';
import { SimulateError } from '../simulate-error.js';

/** Twilio waits no longer for an answer. Source: Twilio's documentation of its webhooks. */
const ANSWER_WITHIN_MS = 15_000;

export interface TwilioWebhooksOptions {
  /** Where the gateway listens. */
  readonly gatewayUrl: string;
  /** By which the gateway is known outside, where that is another: PUBLIC_URL. */
  readonly publicUrl: string;
  readonly authToken: string;
}

/** The signed requests of the carrier. */
export class TwilioWebhooks {
  readonly #options: TwilioWebhooksOptions;

  constructor(options: TwilioWebhooksOptions) {
    this.#options = options;
  }

  /** An address of the gateway's, as it is reached from here. */
  reach(url: string): string {
    const { gatewayUrl, publicUrl } = this.#options;
    const ours = publicUrl.replace(/^http/, 'ws');
    if (url.startsWith(ours)) return gatewayUrl.replace(/^http/, 'ws') + url.slice(ours.length);
    return url.startsWith(publicUrl) ? gatewayUrl + url.slice(publicUrl.length) : url;
  }

  sign(url: string, form: Readonly<Record<string, string>> = {}): string {
    return signTwilio(this.#options.authToken, url, Object.entries(form));
  }

  /**
   * Asks as Twilio does. @param path below the gateway's public address, or a whole address
   * @throws SimulateError where Twilio would tell the caller of an application error.
   */
  async post(path: string, form: Readonly<Record<string, string>>): Promise<string> {
    const url = path.startsWith('/') ? this.#options.publicUrl + path : path;
    const answer = await fetch(this.reach(url), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': this.sign(url, form),
      },
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch((error: unknown) => {
      throw new SimulateError(`No answer from ${this.reach(url)}: is the gateway running there?`, {
        cause: error,
      });
    });
    const text = await answer.text();
    if (answer.status === 403) throw new SimulateError(forbidden(url));
    if (!answer.ok)
      throw new SimulateError(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text;
  }
}

function forbidden(url: string): string {
  return `The gateway refused the signature of ${url}: TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN must be the same here and there, and --public-url its PUBLIC_URL`;
}
