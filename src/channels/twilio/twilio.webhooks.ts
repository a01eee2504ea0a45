import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { CallCommandService } from '../../calls/commands/call-commands.service.js';
import { callIdOf } from '../../calls/inbound/carrier-call-id.js';
import type { InboundCallService } from '../../calls/inbound/inbound-calls.service.js';
import type { DialStatus } from '../../calls/outbound/dialer.js';
import type { OutboundCallService } from '../../calls/outbound/outbound-calls.service.js';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { RateLimiter } from '../../platform/http/rate-limit.js';
import { methodNotAllowed } from '../../platform/http/router.js';
import { readBytes } from '../../platform/http/validation/json-body.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import type { MediaTokens } from './media-tokens.js';
import { type FormFields, isSignedByTwilio } from './twilio-signature.js';
import { connectStream, hangUp, reject, TWIML_TYPE } from './twiml.js';

/** Forms of Twilio have a few dozen short fields. */
const MAX_BODY_BYTES = 65_536;
const FORM = 'application/x-www-form-urlencoded';
const NOT_CONFIGURED = 'Twilio is not configured: set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN';
const CALL_SID = /^CA\w{1,64}$/;

export const TWILIO_PATH = '/telephony/twilio';

/** Our names of Twilio's call statuses. */
const STEPS: Readonly<Record<string, DialStatus>> = {
  queued: 'initiated',
  initiated: 'initiated',
  ringing: 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  failed: 'failed',
  canceled: 'canceled',
};
/** Statuses of ended calls. */
const FINAL_STEPS = new Set(['completed', 'busy', 'no-answer', 'failed', 'canceled']);
/** `AnsweredBy` of machines. Source: Twilio's answering machine detection. */
const MACHINE = /^(machine_|fax)/;

interface TwilioLogin {
  readonly accountSid: string;
  readonly authToken: string;
}

export interface TwilioWebhookParts {
  /** Undefined while Twilio is not configured. All requests are then refused. */
  readonly account: TwilioLogin | undefined;
  readonly inboundCalls: Pick<InboundCallService, 'admit' | 'waitUntilDecided'>;
  readonly tokens: Pick<MediaTokens, 'issue'>;
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly commands: Pick<CallCommandService, 'end'>;
  readonly outbound: Pick<OutboundCallService, 'progress'>;
  readonly limiter: Pick<RateLimiter, 'countFailedAuth'>;
  /** `http(s)://host[:port]` by which Twilio reaches this gateway; undefined where not known. */
  readonly origin: () => string | undefined;
}

/** An authenticated request of Twilio. */
interface TwilioRequest {
  readonly fields: ReadonlyMap<string, string>;
  readonly callSid: string;
  /** Our id of an outbound call. */
  readonly callId: string | undefined;
}

/** Twilio's webhooks: `voice` (an inbound call, or an answered outbound call) and `status`. */
export function twilioWebhooks(parts: TwilioWebhookParts): RequestHandler {
  const router = Router({ caseSensitive: true, strict: false });
  const serve = (
    path: string,
    answer: (request: TwilioRequest, response: Response) => Promise<void>,
  ) => {
    router.post(path, async (request, response) => {
      response.locals.route = path;
      const { account } = parts;
      if (!account) throw new ApiError('NOT_CONFIGURED', NOT_CONFIGURED);
      await answer(await authenticateRequest(parts, account, request), response);
    });
    router.all(path, () => {
      throw methodNotAllowed(['POST']);
    });
  };
  serve(`${TWILIO_PATH}/voice`, async (request, response) => {
    const { callId } = request;
    send(
      response,
      callId ? await onAnswered(parts, request, callId) : await onIncomingCall(parts, request),
    );
  });
  serve(`${TWILIO_PATH}/status`, async (request, response) => {
    await onStatus(parts, request);
    response.status(204).end();
  });
  return router;
}

/** An inbound call. */
async function onIncomingCall(
  parts: TwilioWebhookParts,
  { fields, callSid }: TwilioRequest,
): Promise<string> {
  const onIncomingCall = await parts.inboundCalls.admit({
    carrier: 'twilio',
    carrierCallId: callSid,
    from: fields.get('From') ?? '',
    to: fields.get('To') ?? '',
  });
  if (onIncomingCall.type === 'over') return hangUp();
  if (onIncomingCall.type === 'refused') {
    const isClosed =
      onIncomingCall.why === 'no_agent' || onIncomingCall.why === 'agent_not_deployed';
    return reject(isClosed ? 'rejected' : 'busy');
  }
  return connectTwiml(parts, callSid, onIncomingCall);
}

/** An answered outbound call. */
async function onAnswered(
  parts: TwilioWebhookParts,
  { fields, callSid }: TwilioRequest,
  callId: string,
): Promise<string> {
  if (MACHINE.test(fields.get('AnsweredBy') ?? '')) {
    await parts.outbound.progress(callId, 'machine');
    return hangUp();
  }
  const row = await parts.calls.find(callId);
  if (row?.call_type !== 'sip_outbound' || row.state === 'ended') return hangUp();
  return connectTwiml(parts, callSid, {
    callId,
    agentId: row.agent_id,
    from: row.from_number,
    to: row.to_number,
  });
}

interface ConnectedCall {
  readonly callId: string;
  readonly agentId: string;
  readonly from: string | null;
  readonly to: string | null;
}

function connectTwiml(
  { tokens, origin }: TwilioWebhookParts,
  callSid: string,
  { callId, agentId, from, to }: ConnectedCall,
): string {
  const base = origin();
  if (base === undefined) {
    throw new ApiError(
      'PUBLIC_URL_REQUIRED',
      'Twilio needs the URL of the media socket: set PUBLIC_URL',
    );
  }
  const token = tokens.issue({ callId, carrierCallId: callSid });
  const url = `${base.replace(/^http/, 'ws')}${TWILIO_PATH}/stream/${token}`;
  return connectStream(url, { callId, agentId, ...(from && { from }), ...(to && { to }) });
}

async function onStatus(
  parts: TwilioWebhookParts,
  { fields, callSid, callId }: TwilioRequest,
): Promise<void> {
  const status = fields.get('CallStatus') ?? '';
  if (callId === undefined) {
    // The caller has hung up.
    if (FINAL_STEPS.has(status)) {
      // A caller may hang up while the agent's webhook is still being called.
      await parts.inboundCalls.waitUntilDecided('twilio', callSid);
      await parts.commands.end(callIdOf('twilio', callSid), 'user_hangup');
    }
    return;
  }
  if (MACHINE.test(fields.get('AnsweredBy') ?? '')) {
    await parts.outbound.progress(callId, 'machine');
  }
  const step = STEPS[status];
  if (step) await parts.outbound.progress(callId, step);
}

/** @throws ApiError for a request that Twilio did not sign for this account and URL */
async function authenticateRequest(
  parts: TwilioWebhookParts,
  account: TwilioLogin,
  request: Request,
): Promise<TwilioRequest> {
  const body = await readBytes(request, MAX_BODY_BYTES);
  const type = request.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== FORM) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${FORM}`);
  const fields = [...new URLSearchParams(body.toString())];
  const byName = new Map(fields);
  const { accountSid, authToken } = account;
  const isOwn = byName.get('AccountSid') === accountSid;
  if (!isSigned(authToken, parts.origin(), request, fields) || !isOwn) {
    await parts.limiter.countFailedAuth(request.ip ?? '');
    throw new ApiError(
      'FORBIDDEN',
      'The signature of Twilio is not valid for this request and URL: check TWILIO_AUTH_TOKEN and PUBLIC_URL',
    );
  }
  const callSid = byName.get('CallSid') ?? '';
  if (!CALL_SID.test(callSid))
    throw new ApiError('CALL_NOT_FOUND', 'The request contains no valid CallSid');
  const { call_id: callIdParam } = request.query;
  const callId = typeof callIdParam === 'string' && isUuid(callIdParam) ? callIdParam : undefined;
  return { fields: byName, callSid, callId };
}

/** Checks the signature for our public URL and, with trusted proxies, for the forwarded one. */
function isSigned(
  authToken: string,
  origin: string | undefined,
  request: Request,
  fields: FormFields,
): boolean {
  const signature = request.get('x-twilio-signature') ?? '';
  const seen = `${request.protocol}://${request.host}`;
  const isProxied = Boolean(request.app.get('trust proxy'));
  const origins = [...(origin === undefined ? [] : [origin]), ...(isProxied ? [seen] : [])];
  return origins.some((base) =>
    isSignedByTwilio(authToken, signature, { url: base + request.originalUrl, fields }),
  );
}

function send(response: Response, twiml: string): void {
  response.status(200).set({ 'Content-Type': TWIML_TYPE, 'Cache-Control': 'no-store' }).send(twiml);
}
