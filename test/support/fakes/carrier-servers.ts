import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CarrierRequest,
  type CarrierResponse,
  type FakeCarrier,
  TELNYX,
  TWILIO,
  twilioError,
} from './carrier.js';
import { serveTwilioCalls } from './twilio-calls.js';

type Serve = (asked: CarrierRequest, carrier: FakeCarrier) => CarrierResponse;

async function startCarrier(serve: Serve, stock: readonly string[]): Promise<FakeCarrier> {
  const server: Server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const carrier: FakeCarrier = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stock: new Set(stock),
    ownedNumbers: new Map(),
    calls: new Map(),
    requests: [],
    dropsResponses: false,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = '', headers, url = '/' } = request;
    carrier.requests.push(`${method} ${url}`);
    const body = Buffer.concat(parts).toString();
    const carrierRequest = { method, url: new URL(url, carrier.baseUrl), headers, body };
    const [status, payload] = serve(carrierRequest, carrier);
    if (carrier.dropsResponses) {
      response.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(payload === undefined ? undefined : JSON.stringify(payload));
  }
  return carrier;
}

/** Twilio API 2010-04-01: AvailablePhoneNumbers, IncomingPhoneNumbers and Calls. */
export function startTwilio(stock: readonly string[] = []): Promise<FakeCarrier> {
  return startCarrier(serveTwilio, stock);
}

function serveTwilio(
  { method, url, headers, body }: CarrierRequest,
  carrier: FakeCarrier,
): CarrierResponse {
  const basic = Buffer.from(`${TWILIO.accountSid}:${TWILIO.authToken}`).toString('base64');
  if (headers.authorization !== `Basic ${basic}`) return twilioError(401, 20003, 'Authenticate');
  const account = `/2010-04-01/Accounts/${TWILIO.accountSid}`;
  if (!url.pathname.startsWith(account)) return twilioError(404, 20404, 'Not found');
  const path = url.pathname.slice(account.length);
  const search = /^\/AvailablePhoneNumbers\/([A-Z]{2})\/Local\.json$/.exec(path);
  if (method === 'GET' && search) return searchTwilio(search[1]!, url, carrier);
  if (path === '/IncomingPhoneNumbers.json') {
    return method === 'POST' ? buyFromTwilio(body, headers, carrier) : listTwilio(url, carrier);
  }
  if (method === 'POST' && path.startsWith('/Calls')) {
    return serveTwilioCalls({ path, headers, body }, carrier);
  }
  const one = /^\/IncomingPhoneNumbers\/(PN\d+)\.json$/.exec(path);
  if (method === 'DELETE' && one && carrier.ownedNumbers.delete(`+${one[1]!.slice(2)}`))
    return [204];
  return twilioError(404, 20404, 'The requested resource was not found');
}

function searchTwilio(country: string, url: URL, { stock }: FakeCarrier): CarrierResponse {
  if (country !== 'US') return twilioError(404, 20404, 'The requested resource was not found');
  const area = url.searchParams.get('AreaCode') ?? '';
  const numbers = [...stock].filter((number) => number.startsWith(`+1${area}`));
  return [
    200,
    {
      uri: url.pathname,
      available_phone_numbers: numbers.map((phone_number) => ({
        phone_number,
        friendly_name: phone_number,
        iso_country: 'US',
        locality: 'Hilo',
        region: 'HI',
        rate_center: 'HILO',
        lata: '834',
        postal_code: null,
        capabilities: { voice: true, SMS: true, MMS: false },
      })),
    },
  ];
}

function buyFromTwilio(
  body: string,
  headers: CarrierRequest['headers'],
  carrier: FakeCarrier,
): CarrierResponse {
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') {
    return twilioError(400, 21452, 'No phone numbers found');
  }
  const { PhoneNumber: number = '', ...settings } = Object.fromEntries(new URLSearchParams(body));
  if (!carrier.stock.delete(number)) return twilioError(400, 21422, `${number} is not available`);
  carrier.ownedNumbers.set(number, settings);
  return [201, { sid: `PN${number.slice(1)}`, phone_number: number, status: 'in-use' }];
}

function listTwilio(url: URL, { ownedNumbers: held }: FakeCarrier): CarrierResponse {
  const wanted = url.searchParams.get('PhoneNumber') ?? '';
  const numbers = [...held.keys()].filter((number) => number === wanted);
  const incoming = numbers.map((number) => ({ sid: `PN${number.slice(1)}`, phone_number: number }));
  return [200, { incoming_phone_numbers: incoming, page: 0, page_size: 50 }];
}

/** Telnyx API v2: available_phone_numbers, number_orders and phone_numbers. */
export function startTelnyx(stock: readonly string[] = []): Promise<FakeCarrier> {
  return startCarrier(serveTelnyx, stock);
}

const telnyxError = (status: number, code: string, title: string): CarrierResponse => [
  status,
  { errors: [{ code, title, detail: title }] },
];

function serveTelnyx(
  { method, url, headers, body }: CarrierRequest,
  carrier: FakeCarrier,
): CarrierResponse {
  if (headers.authorization !== `Bearer ${TELNYX.apiKey}`) {
    return telnyxError(401, '10009', 'Authentication failed');
  }
  switch (`${method} ${url.pathname}`) {
    case 'GET /v2/available_phone_numbers':
      return searchTelnyx(url, carrier);
    case 'POST /v2/number_orders':
      return orderFromTelnyx(body, carrier);
    case 'GET /v2/phone_numbers': {
      const number = url.searchParams.get('filter[phone_number]') ?? '';
      const data = carrier.ownedNumbers.has(number)
        ? [{ id: `${number.slice(1)}0`, phone_number: number }]
        : [];
      return [200, { data, meta: { total_results: data.length } }];
    }
    default: {
      const id = /^\/v2\/phone_numbers\/(\d+)0$/.exec(url.pathname)?.[1];
      const isGone =
        method === 'DELETE' && id !== undefined && carrier.ownedNumbers.delete(`+${id}`);
      return isGone ? [200, { data: { id } }] : telnyxError(404, '10005', 'Resource not found');
    }
  }
}

function searchTelnyx(url: URL, { stock }: FakeCarrier): CarrierResponse {
  const area = url.searchParams.get('filter[national_destination_code]') ?? '';
  const numbers = [...stock].filter((number) => number.startsWith(`+1${area}`));
  return [
    200,
    {
      data: numbers.map((phone_number) => ({
        record_type: 'available_phone_number',
        phone_number,
        region_information: [
          { region_type: 'country_code', region_name: 'US' },
          { region_type: 'rate_center', region_name: 'HILO' },
          { region_type: 'state', region_name: 'HI' },
        ],
        features: [{ name: 'voice' }],
      })),
      meta: { total_results: numbers.length, best_effort_results: 0 },
    },
  ];
}

function orderFromTelnyx(body: string, carrier: FakeCarrier): CarrierResponse {
  const number: string = JSON.parse(body).phone_numbers[0].phone_number;
  if (!carrier.stock.delete(number)) return telnyxError(422, '10015', 'Number is not available');
  carrier.ownedNumbers.set(number, {});
  const ordered = { id: 'po1', phone_number: number, status: 'pending' };
  return [200, { data: { id: 'no1', status: 'pending', phone_numbers: [ordered] } }];
}
