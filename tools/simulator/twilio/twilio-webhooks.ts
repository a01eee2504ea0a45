import { signTwilio } from '../../../src/channels/twilio/twilio-signature.js';
import { SimulateError } from '../simulate-error.js';

/** Twilio's timeout for an answer. Source: Twilio's documentation of its webhooks. */
const ANSWER_WITHIN_MS = 15_000;

export interface TwilioWebhooksOptions {
  /** Where the gateway listens. */
  readonly gatewayUrl: string;
  /** The gateway's PUBLIC_URL. */
  readonly publicUrl: string;
  readonly authToken: string;
}

/** The signed requests of the carrier. */
export class TwilioWebhooks {
  readonly #options: TwilioWebhooksOptions;

  constructor(options: TwilioWebhooksOptions) {
    this.#options = options;
  }

  /** Maps a public URL of the gateway to the URL at which this process reaches it. */
  toReachableUrl(url: string): string {
    const { gatewayUrl, publicUrl } = this.#options;
    const ours = publicUrl.replace(/^http/, 'ws');
    if (url.startsWith(ours)) return gatewayUrl.replace(/^http/, 'ws') + url.slice(ours.length);
    return url.startsWith(publicUrl) ? gatewayUrl + url.slice(publicUrl.length) : url;
  }

  sign(url: string, form: Readonly<Record<string, string>> = {}): string {
    return signTwilio(this.#options.authToken, url, Object.entries(form));
  }

  /**
   * Sends a webhook request. @param path below the public URL, or an absolute URL
   * @throws SimulateError where Twilio would play an application error to the caller
   */
  async post(path: string, form: Readonly<Record<string, string>>): Promise<string> {
    const url = path.startsWith('/') ? this.#options.publicUrl + path : path;
    const answer = await fetch(this.toReachableUrl(url), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': this.sign(url, form),
      },
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch((error: unknown) => {
      throw new SimulateError(
        `${this.toReachableUrl(url)} does not respond: start the gateway, or correct --url`,
        {
          cause: error,
        },
      );
    });
    const text = await answer.text();
    if (answer.status === 403) throw new SimulateError(forbidden(url));
    if (!answer.ok)
      throw new SimulateError(
        `${url} responded with status ${answer.status}: ${text.slice(0, 300)}`,
      );
    return text;
  }
}

function forbidden(url: string): string {
  return `The gateway refused the signature of ${url}: TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN must be the same here and for the gateway, and --public-url must be its PUBLIC_URL`;
}
