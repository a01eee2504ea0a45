import { z } from 'zod';
import { CarrierHttp, type CarrierResponse } from '../../features/phone-numbers/carrier-http.js';
import type { TwilioAccount } from '../../features/phone-numbers/twilio-carrier.js';
import { ApiError } from '../../platform/http/api-error.js';

/** HTTP status for a call that has ended or does not exist. */
const NOT_FOUND = 404;
/** "Call is not in-progress". Source: Twilio's error dictionary. */
const NOT_IN_PROGRESS = 21220;
/** Errors of Node and undici after which the request was not sent, so that no phone rings. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const Placed = z.object({ sid: z.string().regex(/^\w{1,100}$/) });
const Failure = z.object({ code: z.number(), message: z.string() }).partial();

/** A request for an outbound call. */
export interface CallRequest {
  readonly to: string;
  readonly from: string;
  /** Returns the TwiML when the call is answered. */
  readonly answerUrl: string;
  /** Receives status callbacks. */
  readonly statusUrl: string;
  /** Receives the result of answering machine detection. */
  readonly machineUrl: string;
  /** Ring timeout, s. */
  readonly ringS: number;
}

/** `unknown`: the response was lost; the call may have been made. */
export type CreatedCall =
  | { readonly type: 'placed'; readonly callSid: string }
  | { readonly type: 'unknown' };

/** Calls through Twilio's REST API. Source: API 2010-04-01, resource Calls. */
export class TwilioClient {
  readonly #http: CarrierHttp;
  readonly #calls: string;

  constructor({ accountSid, authToken, baseUrl }: TwilioAccount) {
    const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    this.#http = new CarrierHttp({ name: 'Twilio', baseUrl, authorization: `Basic ${basic}` });
    this.#calls = `/2010-04-01/Accounts/${accountSid}/Calls`;
  }

  /** Not retried, because a repeated request may ring twice. @throws ApiError PROVIDER_ERROR */
  async create(order: CallRequest): Promise<CreatedCall> {
    let answer: CarrierResponse;
    try {
      answer = await this.#http.send({
        method: 'POST',
        path: `${this.#calls}.json`,
        form: [
          ['To', order.to],
          ['From', order.from],
          ['Url', order.answerUrl],
          ['Method', 'POST'],
          ['Timeout', String(order.ringS)],
          ['StatusCallback', order.statusUrl],
          ['StatusCallbackMethod', 'POST'],
          ...['initiated', 'ringing', 'answered', 'completed'].map(
            (step) => ['StatusCallbackEvent', step] as const,
          ),
          ['MachineDetection', 'Enable'],
          ['AsyncAmd', 'true'],
          ['AsyncAmdStatusCallback', order.machineUrl],
          ['AsyncAmdStatusCallbackMethod', 'POST'],
        ],
      });
    } catch (error) {
      if (wasSent(error)) return { type: 'unknown' };
      throw error;
    }
    if (!answer.isOk) throw this.#failed(answer);
    return { type: 'placed', callSid: this.#http.read(Placed, answer).sid };
  }

  /** Ends a call or stops its ringing. A call that has ended is no error. @throws ApiError PROVIDER_ERROR */
  async end(callSid: string): Promise<void> {
    await this.#update(callSid, { Status: 'completed' });
  }

  /**
   * Disconnects a call from its socket and continues with this TwiML.
   * @returns false if the call has ended @throws ApiError PROVIDER_ERROR
   */
  redirect(callSid: string, twiml: string): Promise<boolean> {
    return this.#update(callSid, { Twiml: twiml });
  }

  async #update(callSid: string, form: Readonly<Record<string, string>>): Promise<boolean> {
    const path = `${this.#calls}/${encodeURIComponent(callSid)}.json`;
    const answer = await this.#http.send({ method: 'POST', path, form: Object.entries(form) });
    if (answer.isOk) return true;
    if (answer.status === NOT_FOUND || failureOf(answer).code === NOT_IN_PROGRESS) return false;
    throw this.#failed(answer);
  }

  #failed(answer: CarrierResponse): ApiError {
    return this.#http.failed(answer, failureOf(answer).message);
  }
}

function failureOf({ body }: CarrierResponse): z.output<typeof Failure> {
  return Failure.safeParse(body).data ?? {};
}

/** Whether a request without response may have been processed. */
function wasSent(error: unknown): boolean {
  const cause = error instanceof ApiError && error.cause instanceof Error ? error.cause : undefined;
  const reason: unknown = cause?.cause ?? cause;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
  return !NEVER_SENT.has(code);
}
