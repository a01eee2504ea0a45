import {
  type CarrierRequest,
  type CarrierResponse,
  type FakeCall,
  type FakeCarrier,
  TWILIO,
  twilioError,
} from './carrier.js';

const FORM = 'application/x-www-form-urlencoded';

/** Adds a call in progress, which the account can then update. */
export function addCall(
  carrier: FakeCarrier,
  sid: string,
  order = new URLSearchParams(),
): FakeCall {
  const call: FakeCall = { sid, order, status: 'in-progress', redirects: [] };
  carrier.calls.set(sid, call);
  return call;
}

/** The Calls resource: create, end and redirect. */
export function serveTwilioCalls(
  { path, headers, body }: Pick<CarrierRequest, 'headers' | 'body'> & { readonly path: string },
  carrier: FakeCarrier,
): CarrierResponse {
  if (headers['content-type'] !== FORM) return twilioError(400, 20001, 'Bad request');
  const form = new URLSearchParams(body);
  if (path === '/Calls.json') return order(form, carrier);
  const sid = /^\/Calls\/(CA\w+)\.json$/.exec(path)?.[1];
  const call = sid === undefined ? undefined : carrier.calls.get(sid);
  if (!call) return twilioError(404, 20404, 'The requested resource was not found');
  return change(call, form);
}

function order(form: URLSearchParams, { calls }: FakeCarrier): CarrierResponse {
  const [to, from, url] = ['To', 'From', 'Url'].map((name) => form.get(name));
  if (!to || !/^\+[1-9]\d{6,14}$/.test(to)) {
    return twilioError(400, 21211, `The phone number you are attempting to call is not valid`);
  }
  if (!from) return twilioError(400, 21213, "'From' number is required");
  if (!url || !URL.canParse(url)) return twilioError(400, 21205, 'Url is not a valid URL');
  const sid = `CA${String(calls.size + 1).padStart(32, '0')}`;
  calls.set(sid, { sid, order: form, status: 'queued', redirects: [] });
  return [201, shown(sid, form, 'queued')];
}

function change(call: FakeCall, form: URLSearchParams): CarrierResponse {
  if (call.status === 'completed' || call.status === 'canceled') {
    return twilioError(400, 21220, 'Call is not in-progress. Cannot redirect.');
  }
  const [status, twiml] = [form.get('Status'), form.get('Twiml')];
  if (status === 'completed' || status === 'canceled') call.status = status;
  else if (twiml !== null && call.refusesRedirects) {
    return twilioError(400, 21218, 'Invalid TwiML');
  } else if (twiml !== null) call.redirects.push(twiml);
  else return twilioError(400, 20001, 'Nothing to change');
  return [200, shown(call.sid, call.order, call.status)];
}

function shown(sid: string, form: URLSearchParams, status: string) {
  return {
    sid,
    account_sid: TWILIO.accountSid,
    to: form.get('To'),
    from: form.get('From'),
    status,
    direction: 'outbound-api',
    answered_by: null,
    duration: null,
    uri: `/2010-04-01/Accounts/${TWILIO.accountSid}/Calls/${sid}.json`,
  };
}
