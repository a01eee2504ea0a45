import { z } from 'zod';
import { ApiError } from '../../platform/http/api-error.js';
import type { AvailableNumber, Carrier, NumberSearch } from './carrier.js';
import { CarrierHttp, type CarrierResponse } from './carrier-http.js';

/** Results of one search. */
const PAGE_SIZE = '20';
const STATUS_NOT_FOUND = 404;
/** Statuses of an order for a number that is not for sale. */
const UNAVAILABLE_STATUSES = new Set([400, 404, 409, 422]);

const AvailableNumbers = z.object({
  data: z.array(
    z.object({
      phone_number: z.string(),
      region_information: z
        .array(z.object({ region_type: z.string(), region_name: z.string() }))
        .nullish(),
    }),
  ),
});
const OwnedNumbers = z.object({ data: z.array(z.object({ id: z.string() })) });
const Failure = z.object({
  errors: z.array(z.object({ title: z.string(), detail: z.string() }).partial()),
});

export interface TelnyxAccount {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/**
 * Numbers from Telnyx, by its REST API v2. Telnyx routes calls by the account's connection for new
 * numbers, so no URL is stored with a number.
 */
export class TelnyxCarrier implements Carrier {
  readonly #http: CarrierHttp;

  constructor({ apiKey, baseUrl }: TelnyxAccount) {
    this.#http = new CarrierHttp({
      name: 'Telnyx',
      // The base URL of Telnyx's own client ends in the version.
      baseUrl: `${baseUrl.replace(/\/v2$/, '')}/v2`,
      authorization: `Bearer ${apiKey}`,
    });
  }

  async search({ countryCode, areaCode }: NumberSearch): Promise<readonly AvailableNumber[]> {
    const answer = await this.#http.send({
      method: 'GET',
      path: '/available_phone_numbers',
      query: {
        'filter[country_code]': countryCode,
        'filter[features]': 'voice',
        'filter[limit]': PAGE_SIZE,
        ...(areaCode !== undefined && { 'filter[national_destination_code]': areaCode }),
      },
    });
    if (!answer.isOk) throw this.#failed(answer);
    return this.#http.read(AvailableNumbers, answer).data.map((number) => {
      const region = (type: string) =>
        number.region_information?.find(({ region_type }) => region_type === type)?.region_name;
      return {
        phone_number: number.phone_number,
        country_code: region('country_code') ?? countryCode,
        locality: region('location') ?? region('rate_center') ?? '',
        region: region('state') ?? '',
      };
    });
  }

  async hasNumber(phoneNumber: string): Promise<boolean> {
    return (await this.#idOf(phoneNumber)) !== undefined;
  }

  async buy(phoneNumber: string): Promise<void> {
    const answer = await this.#http.send({
      method: 'POST',
      path: '/number_orders',
      json: { phone_numbers: [{ phone_number: phoneNumber }] },
    });
    if (UNAVAILABLE_STATUSES.has(answer.status)) {
      throw new ApiError(
        'PHONE_NUMBER_IN_USE',
        'The phone number is not available at Telnyx: select another one',
      );
    }
    if (!answer.isOk) throw this.#failed(answer);
  }

  async release(phoneNumber: string): Promise<void> {
    const id = await this.#idOf(phoneNumber);
    if (id === undefined) return;
    const answer = await this.#http.send({
      method: 'DELETE',
      path: `/phone_numbers/${encodeURIComponent(id)}`,
    });
    if (!answer.isOk && answer.status !== STATUS_NOT_FOUND) throw this.#failed(answer);
  }

  async #idOf(phoneNumber: string): Promise<string | undefined> {
    const answer = await this.#http.send({
      method: 'GET',
      path: '/phone_numbers',
      query: { 'filter[phone_number]': phoneNumber },
    });
    if (!answer.isOk) throw this.#failed(answer);
    return this.#http.read(OwnedNumbers, answer).data[0]?.id;
  }

  #failed(answer: CarrierResponse): ApiError {
    const { title, detail } = Failure.safeParse(answer.body).data?.errors[0] ?? {};
    return this.#http.failed(answer, detail ?? title);
  }
}
