import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import type { CallInput } from '../../../../agents-runtime/contract/transport.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../../agents-runtime/timing/system-clock.js';
import type { PhoneTransport } from '../../../../agents-runtime/transports/telephony/phone-transport.js';
import { InboundCallService } from '../../../../src/calls/inbound/inbound-calls.service.js';
import type { CallSessionFactory } from '../../../../src/calls/session/call-session.factory.js';
import type { CallSession } from '../../../../src/calls/session/call-session.js';
import { MediaConnector } from '../../../../src/calls/session/media-connector.js';
import { twilioSocket } from '../../../../src/channels/twilio/media-socket.js';
import { MediaTokens } from '../../../../src/channels/twilio/media-tokens.js';
import { twilioWebhooks } from '../../../../src/channels/twilio/twilio.webhooks.js';
import { signTwilio } from '../../../../src/channels/twilio/twilio-signature.js';
import { createTwilioClient } from '../../../../src/composition/telephony.module.js';
import {
  createWebhooksModule,
  type WebhooksModule,
} from '../../../../src/composition/webhooks.module.js';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import { RateLimiter } from '../../../../src/platform/http/rate-limit.js';
import { type FakeCarrier, TWILIO } from '../../fakes/carrier.js';
import { withControlPlane } from './control-plane-app.js';
import { outboundOf } from './outbound-calls-app.js';
import { OVERRIDES } from './webhook-app.js';

/** The gateway's public origin, as configured at Twilio. */
export const ORIGIN = 'https://voice.example.com';

/** A started call that records its input; the test acts as the agent. */
class ScriptedCall implements CallInput {
  readonly inputs: string[] = [];
  readonly callId: string;
  readonly transport: PhoneTransport;
  samples = 0;
  readonly #onEnd: (reason: string) => void;

  constructor(callId: string, line: PhoneTransport, onEnd: (reason: string) => void) {
    this.callId = callId;
    this.transport = line;
    this.#onEnd = onEnd;
  }

  connected(): void {
    this.inputs.push('connected');
  }
  audio(samples: Int16Array): void {
    this.samples += samples.length;
  }
  typed(text: string): void {
    this.inputs.push(`typed ${text}`);
  }
  say(): undefined {
    return undefined;
  }
  played(): void {
    this.inputs.push('played');
  }
  lost(): void {
    this.inputs.push('lost');
  }
  regained(): void {
    this.inputs.push('regained');
  }
  hangUp(reason: string): void {
    this.inputs.push(`ended ${reason}`);
    this.transport.close();
    this.#onEnd(reason);
  }
}

export interface TwilioPlaneOptions {
  readonly twilio: FakeCarrier;
  readonly slots?: number;
  /** Default: `ORIGIN`. */
  readonly origin?: () => string | undefined;
  readonly isConfigured?: boolean;
  readonly startTimeoutMs?: () => number;
  readonly trustProxy?: boolean;
  readonly isOpen?: () => boolean;
}

/** Twilio's webhooks and media sockets with a database, without models. */
export function withTwilioPlane(options: TwilioPlaneOptions) {
  const { twilio, isConfigured = true, origin = () => ORIGIN, slots = 0 } = options;
  const log = pino({ level: 'silent' });
  const calls: ScriptedCall[] = [];
  let outboundCalls: ReturnType<typeof outboundOf> | undefined;
  let tokens: MediaTokens | undefined;
  let hooks: WebhooksModule | undefined;
  const account = isConfigured ? TWILIO : undefined;
  const plane = withControlPlane({
    allowedHosts: ['127.0.0.1'],
    trustProxy: options.trustProxy ?? false,
    routes: (db, secrets) => {
      tokens = new MediaTokens(secrets);
      outboundCalls = outboundOf(db, {
        twilioUrl: () => twilio.baseUrl,
        twilioToken: account?.authToken,
        origin,
        slots,
        ...(options.isOpen && { isOpen: options.isOpen }),
      });
      hooks = createWebhooksModule({
        db,
        box: plane.box,
        agents: new AgentsRepository(db),
        log,
        overrides: OVERRIDES,
        allowedHosts: ['127.0.0.1'],
      });
      return outboundCalls.routes;
    },
    carrierWebhooks: (db) => [
      twilioWebhooks({
        ...outboundCalls!,
        account,
        tokens: tokens!,
        inboundCalls: new InboundCallService({
          ...outboundCalls!,
          agents: new AgentsRepository(db),
          inboundWebhooks: hooks!.inboundWebhooks,
        }),
        limiter: new RateLimiter({ requestsPerMinute: 0, failedAuthsPerMinute: 20 }),
        origin,
      }),
    ],
    sockets: () => [
      twilioSocket({
        tokens: tokens!,
        calls: outboundCalls!.calls,
        connector: new MediaConnector({
          sessions: scriptedSessions(() => outboundCalls!, calls),
          ticker: new FrameTicker(systemClock),
        }),
        client: createTwilioClient({
          TWILIO_ACCOUNT_SID: TWILIO.accountSid,
          TWILIO_AUTH_TOKEN: account?.authToken,
          TWILIO_BASE_URL: twilio.baseUrl,
        }),
        authToken: account?.authToken,
        origin,
        get startMs() {
          return options.startTimeoutMs?.();
        },
      }),
    ],
  });
  return Object.assign(plane, {
    /** Started calls, in order. */
    startedCalls: calls,
    outboundCalls: () => outboundCalls!,
    /** Posts a form signed like Twilio's requests. */
    postForm: (path: string, fields: Fields, how: FormOptions = {}) =>
      postForm(plane.url, path, fields, how),
    /** Opens the media socket of a TwiML answer. */
    openStream: (twiml: string, headers = {}) => openStream(plane.url, twiml, headers),
  });
}

type Fields = Readonly<Record<string, string>>;
interface FormOptions {
  /** Default: the path below `ORIGIN`. */
  readonly signedUrl?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
}

/** Fields of Twilio's webhook for a ringing call. */
export function ringingFields(more: Fields = {}): Fields {
  return {
    AccountSid: TWILIO.accountSid,
    ApiVersion: '2010-04-01',
    CallSid: `CA${randomUUID().replaceAll('-', '')}`,
    CallStatus: 'ringing',
    Direction: 'inbound',
    From: '+14155550100',
    ...more,
  };
}

async function postForm(url: string, path: string, fields: Fields, how: FormOptions) {
  const signed = how.signedUrl ?? `${ORIGIN}${path}`;
  const signature = signTwilio(how.token ?? TWILIO.authToken, signed, Object.entries(fields));
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': how.type ?? 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature,
      ...how.headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), text: await response.text() };
}

/** The URL of the stream in a TwiML answer. */
export function streamUrl(twiml: string): string {
  const url = /<Stream url="([^"]+)"/.exec(twiml)?.[1];
  if (url === undefined) throw new Error(`No stream in ${twiml}`);
  return url;
}

function openStream(origin: string, twiml: string, headers: Readonly<Record<string, string>>) {
  const { pathname } = new URL(streamUrl(twiml));
  return new WebSocket(origin.replace(/^http/, 'ws') + pathname, { headers });
}

/** Claims calls in the database and starts scripted calls. */
function scriptedSessions(
  outboundCalls: () => ReturnType<typeof outboundOf>,
  startedCalls: ScriptedCall[],
): Pick<CallSessionFactory, 'claim'> {
  return {
    async claim(callId) {
      const { calls, live } = outboundCalls();
      const row = await calls.claim(callId, randomUUID());
      if (row === undefined || typeof row === 'string') return row ?? 'not_reserved';
      const session: Pick<CallSession, 'row' | 'start' | 'cancel'> = {
        row,
        cancel: () => calls.end(callId, 'error_transport'),
        start(phoneTransport, _options, startTransport) {
          const end = async (reason: string) => {
            live.remove(callId);
            await calls.end(callId, reason as 'user_hangup');
          };
          const call = new ScriptedCall(
            callId,
            phoneTransport as PhoneTransport,
            (reason) => void end(reason),
          );
          live.add(callId, { call, end: async (reason) => call.hangUp(reason) });
          startedCalls.push(call);
          startTransport(call);
        },
      };
      return session as CallSession;
    },
  };
}
