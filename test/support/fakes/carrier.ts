import type { IncomingMessage } from 'node:http';

export const TWILIO = { accountSid: 'AC0001', authToken: 'test_auth_token' };
export const TELNYX = { apiKey: 'KEY0001' };

/** A carrier's REST interface on loopback, with a stock of numbers and one customer's account. */
export interface FakeCarrier {
  readonly baseUrl: string;
  /** Numbers that can be bought. */
  readonly stock: Set<string>;
  /** Numbers that the customer holds, with what was written with them. */
  readonly held: Map<string, Readonly<Record<string, string>>>;
  /** Calls that were ordered from Twilio, by their SIDs. */
  readonly calls: Map<string, FakeCall>;
  /** `METHOD path?query` of each request. */
  readonly requests: string[];
  /** Carries out a request, but answers nothing of it. */
  isMute: boolean;
  close(): void;
}

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export type Told = readonly [status: number, body?: unknown];
export const twilioError = (status: number, code: number, message: string): Told => [
  status,
  { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
];

/** A call as Twilio keeps it. */
export interface FakeCall {
  readonly sid: string;
  /** What it was ordered with; a name may come more than once. */
  readonly order: URLSearchParams;
  status: 'queued' | 'ringing' | 'in-progress' | 'completed' | 'canceled';
  /** TwiML that took the call out of its socket, the newest last. */
  readonly redirects: string[];
  /** TwiML for it is taken for invalid. */
  refusesRedirects?: boolean;
}
