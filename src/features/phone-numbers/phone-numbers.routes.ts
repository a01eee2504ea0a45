import { type Route, type RouteResponse, route } from '../../platform/http/route.js';
import { presentAvailableNumbers, presentNumbers } from './phone-numbers.presenter.js';
import {
  AvailableNumberList,
  NumberChoice,
  NumberList,
  NumberSelection,
  SearchNumbers,
} from './phone-numbers.schema.js';
import type { PhoneNumberService } from './phone-numbers.service.js';

const COMMON = { scope: 'numbers', tag: 'Phone numbers' } as const;
const CARRIER_ERROR: RouteResponse = { description: 'The carrier failed' };
const NOT_CONFIGURED = 'NOT_CONFIGURED: the response names the missing settings of the carrier';

/** `/agent/…-phone-number(s)`. */
export function phoneNumberRoutes(numbers: PhoneNumberService): readonly Route[] {
  return [...carrierRoutes(numbers), ...listRoutes(numbers)];
}

function carrierRoutes(numbers: PhoneNumberService): readonly Route[] {
  const common = { ...COMMON, method: 'post' } as const;
  return [
    route({
      ...common,
      path: '/agent/search-phone-numbers',
      summary: 'Search available phone numbers',
      body: SearchNumbers,
      responses: {
        200: { description: 'Some of the available numbers', schema: AvailableNumberList },
        409: { description: NOT_CONFIGURED },
        502: CARRIER_ERROR,
      },
      async handle({ body }) {
        const results = await numbers.search(body.provider, {
          countryCode: body.country_code.toUpperCase(),
          areaCode: body.area_code ?? undefined,
        });
        return { results, total_results: results.length };
      },
    }),
    route({
      ...common,
      path: '/agent/select-phone-number',
      summary: 'Order a phone number',
      description: 'The carrier charges for it. Selecting a number again changes nothing.',
      isIdempotent: true,
      body: NumberChoice,
      responses: {
        200: { description: 'The number belongs to the account', schema: NumberSelection },
        403: {
          description:
            'The account has reached its limit of phone numbers (PHONE_NUMBER_LIMIT), or the scope is missing',
        },
        409: {
          description: `The number is not available, the first request with this Idempotency-Key is still running, or ${NOT_CONFIGURED}`,
        },
        502: CARRIER_ERROR,
        503: { description: 'PUBLIC_URL is missing' },
      },
      async handle({ principal: { accountId }, body }) {
        const { phone_number: phoneNumber, provider } = body;
        await numbers.select({ accountId, phoneNumber, provider });
        return { phone_number: phoneNumber, status: 'selected' };
      },
    }),
    route({
      ...common,
      path: '/agent/release-phone-number',
      summary: 'Release a phone number',
      body: NumberChoice,
      responses: {
        200: { description: 'The number is released', schema: NumberSelection },
        404: { description: 'The account does not have this number' },
        409: { description: `A deployed agent has the number, or ${NOT_CONFIGURED}` },
        502: CARRIER_ERROR,
      },
      async handle({ principal: { accountId }, body }) {
        const { phone_number: phoneNumber, provider } = body;
        await numbers.release({ accountId, phoneNumber, provider });
        return { phone_number: phoneNumber, status: 'released' };
      },
    }),
  ];
}

function listRoutes(numbers: PhoneNumberService): readonly Route[] {
  const common = { ...COMMON, method: 'get' } as const;
  return [
    route({
      ...common,
      path: '/agent/phone-numbers',
      summary: 'List the phone numbers of the account',
      responses: { 200: { description: 'The numbers', schema: NumberList } },
      handle: async ({ principal }) => presentNumbers(await numbers.list(principal.accountId)),
    }),
    route({
      ...common,
      path: '/agent/available-phone-numbers',
      summary: 'List the phone numbers of the account that no deployed agent uses',
      responses: { 200: { description: 'The numbers', schema: NumberList } },
      handle: async ({ principal }) =>
        presentAvailableNumbers(await numbers.list(principal.accountId)),
    }),
  ];
}
