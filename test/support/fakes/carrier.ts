import type { IncomingMessage } from 'node:http';

export const TWILIO = { accountSid: 'AC0001', authToken: 'test_auth_token' };
export const TELNYX = { apiKey: 'KEY0001' };

/** A carrier's REST API on loopback, with a stock of numbers and one customer's account. */
export interface FakeCarrier {
  readonly baseUrl: string;
  /** Numbers that can be bought. */
  readonly stock: Set<string>;
  /** The customer's numbers, with the settings of each. */
  readonly ownedNumbers: Map<string, Readonly<Record<string, string>>>;
  /** Calls created at Twilio, by SID. */
  readonly calls: Map<string, FakeCall>;
  /** `METHOD path?query` of each request. */
  readonly requests: string[];
  /** Executes requests but closes the connection without a response. */
  dropsResponses: boolean;
  close(): void;
}

export interface CarrierRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export type CarrierResponse = readonly [status: number, body?: unknown];
export const twilioError = (status: number, code: number, message: string): CarrierResponse => [
  status,
  { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
];

/** A call resource of Twilio. */
export interface FakeCall {
  readonly sid: string;
  /** The parameters of the request that created the call; a name may occur more than once. */
  readonly order: URLSearchParams;
  status: 'queued' | 'ringing' | 'in-progress' | 'completed' | 'canceled';
  /** TwiML documents that redirected the call, oldest first. */
  readonly redirects: string[];
  /** Rejects any TwiML update as invalid. */
  refusesRedirects?: boolean;
}
