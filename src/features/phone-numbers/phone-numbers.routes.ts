import { type Route, type RouteResponse, route } from '../../platform/http/route.js';
import type { OwnNumber, PhoneNumbersRepository } from './phone-numbers.repository.js';
import {
  ChosenNumber,
  FoundNumbers,
  NumberChoice,
  NumberList,
  SearchNumbers,
} from './phone-numbers.schema.js';
import type { PhoneNumberService } from './phone-numbers.service.js';

const COMMON = { scope: 'numbers', tag: 'Phone numbers' } as const;
const CARRIER_FAILS: RouteResponse = { description: 'The carrier fails' };
const NOT_CONFIGURED = 'NOT_CONFIGURED: the answer names the missing settings of the carrier';

export interface PhoneNumberRouteParts {
  readonly numbers: PhoneNumberService;
  readonly repository: PhoneNumbersRepository;
}

/** `/agent/…-phone-number(s)`. */
export function phoneNumberRoutes(parts: PhoneNumberRouteParts): readonly Route[] {
  return [...carrierRoutes(parts), ...listRoutes(parts)];
}

function carrierRoutes({ numbers }: PhoneNumberRouteParts): readonly Route[] {
  const common = { ...COMMON, method: 'post' } as const;
  return [
    route({
      ...common,
      path: '/agent/search-phone-numbers',
      summary: 'Search numbers that can be had',
      body: SearchNumbers,
      responses: {
        200: { description: 'Some of them', schema: FoundNumbers },
        409: { description: NOT_CONFIGURED },
        502: CARRIER_FAILS,
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
      summary: 'Take a number into a free slot',
      description: 'The carrier charges for it. Selecting a number again changes nothing.',
      isIdempotent: true,
      body: NumberChoice,
      responses: {
        200: { description: 'The number is held', schema: ChosenNumber },
        403: { description: 'All slots are taken (PHONE_NUMBER_LIMIT), or the scope is missing' },
        409: {
          description: `The number cannot be had, the first request still runs, or ${NOT_CONFIGURED}`,
        },
        502: CARRIER_FAILS,
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
      summary: 'Give a number back',
      body: NumberChoice,
      responses: {
        200: { description: 'The slot is free', schema: ChosenNumber },
        404: { description: 'The account holds no such number' },
        409: { description: `A deployed agent has the number, or ${NOT_CONFIGURED}` },
        502: CARRIER_FAILS,
      },
      async handle({ principal: { accountId }, body }) {
        const { phone_number: phoneNumber, provider } = body;
        await numbers.release({ accountId, phoneNumber, provider });
        return { phone_number: phoneNumber, status: 'released' };
      },
    }),
  ];
}

function listRoutes({ repository }: PhoneNumberRouteParts): readonly Route[] {
  const common = { ...COMMON, method: 'get' } as const;
  return [
    route({
      ...common,
      path: '/agent/phone-numbers',
      summary: "List the account's numbers",
      responses: { 200: { description: 'The numbers', schema: NumberList } },
      handle: async ({ principal }) => listOf(await repository.list(principal.accountId)),
    }),
    route({
      ...common,
      path: '/agent/available-phone-numbers',
      summary: "List the account's numbers that no deployed agent has",
      responses: { 200: { description: 'The numbers', schema: NumberList } },
      async handle({ principal }) {
        const all = await repository.list(principal.accountId);
        const free = all.filter(({ agentId }) => agentId === null);
        return { ...listOf(all), phone_numbers: listOf(free).phone_numbers };
      },
    }),
  ];
}

function listOf(numbers: readonly OwnNumber[]) {
  const assigned = numbers.filter(({ agentId }) => agentId !== null).length;
  return {
    phone_numbers: numbers.map(({ phoneNumber, agentId, agentName }) => ({
      phone_number: phoneNumber,
      status: agentId === null ? 'available' : 'assigned',
      ...(agentId !== null && {
        assigned_to_agent_id: agentId,
        assigned_to_agent_name: agentName,
      }),
    })),
    total_numbers: numbers.length,
    total_available: numbers.length - assigned,
    total_assigned: assigned,
  };
}
