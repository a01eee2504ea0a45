import { z } from 'zod';
import { CarrierHttp, type CarrierResponse } from '../../features/phone-numbers/carrier-http.js';
import type { TwilioAccount } from '../../features/phone-numbers/twilio-carrier.js';
import { ApiError } from '../../platform/http/api-error.js';

/** Of a call that is over, or never was. Source: the telephony notes, §1. */
const NOT_FOUND = 404;
/** "Call is not in-progress": what is over cannot be changed. Source: Twilio's error dictionary. */
const NOT_IN_PROGRESS = 21220;
/** The request never reached the carrier, so that nothing rings. Source: Node's and undici's codes. */
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

/** A call that Twilio is to make. */
export interface CallRequest {
  readonly to: string;
  readonly from: string;
  /** Asked for TwiML once somebody has answered. */
  readonly answerUrl: string;
  /** Told of each step. */
  readonly statusUrl: string;
  /** Told who answered, while the call goes on. */
  readonly machineUrl: string;
  /** It rings for so long. */
  readonly ringS: number;
}

/** `unknown`: the answer was lost, so that the call may ring all the same. */
export type CreatedCall =
  | { readonly type: 'placed'; readonly callSid: string }
  | { readonly type: 'unknown' };

/** Calls through Twilio's REST interface. Source: its API of 2010-04-01, resource Calls. */
export class TwilioClient {
  readonly #http: CarrierHttp;
  readonly #calls: string;

  constructor({ accountSid, authToken, baseUrl }: TwilioAccount) {
    const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    this.#http = new CarrierHttp({ name: 'Twilio', baseUrl, authorization: `Basic ${basic}` });
    this.#calls = `/2010-04-01/Accounts/${accountSid}/Calls`;
  }

  /** Asked once only: an order that is sent again may ring twice. @throws ApiError PROVIDER_ERROR */
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

  /** Ends a call, or stops it from ringing; one that is over is over. @throws ApiError PROVIDER_ERROR */
  async end(callSid: string): Promise<void> {
    await this.#update(callSid, { Status: 'completed' });
  }

  /**
   * Takes a call out of its socket and goes on with this TwiML.
   * @returns false when the call is over. @throws ApiError PROVIDER_ERROR
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

/** Whether a request that has no answer may have been carried out. */
function wasSent(error: unknown): boolean {
  const cause = error instanceof ApiError && error.cause instanceof Error ? error.cause : undefined;
  const reason: unknown = cause?.cause ?? cause;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
  return !NEVER_SENT.has(code);
}
