import { z } from 'zod';
import { ApiError } from '../../platform/http/api-error.js';
import type { AvailableNumber, Carrier, NumberSearch, VoiceUrls } from './carrier.js';
import { CarrierHttp, type CarrierResponse } from './carrier-http.js';

/** Results of one search. */
const PAGE_SIZE = '20';
/**
 * "PhoneNumber is not available", "… is invalid", and the area codes and countries without numbers.
 * Source: Twilio's error and warning dictionary.
 */
const UNAVAILABLE_CODES = new Set([21421, 21422]);
const STATUS_NOT_FOUND = 404;

const AvailableNumbers = z.object({
  available_phone_numbers: z.array(
    z.object({
      phone_number: z.string(),
      iso_country: z.string().nullish(),
      locality: z.string().nullish(),
      region: z.string().nullish(),
    }),
  ),
});
const OwnedNumbers = z.object({ incoming_phone_numbers: z.array(z.object({ sid: z.string() })) });
const Failure = z.object({ code: z.number(), message: z.string() }).partial();

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  readonly baseUrl: string;
}

/** Numbers from Twilio, by its REST API of 2010-04-01. */
export class TwilioCarrier implements Carrier {
  readonly #http: CarrierHttp;
  readonly #account: string;

  constructor({ accountSid, authToken, baseUrl }: TwilioAccount) {
    const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    this.#http = new CarrierHttp({ name: 'Twilio', baseUrl, authorization: `Basic ${basic}` });
    this.#account = `/2010-04-01/Accounts/${accountSid}`;
  }

  async search({ countryCode, areaCode }: NumberSearch): Promise<readonly AvailableNumber[]> {
    const answer = await this.#http.send({
      method: 'GET',
      path: `${this.#account}/AvailablePhoneNumbers/${countryCode}/Local.json`,
      query: {
        VoiceEnabled: 'true',
        PageSize: PAGE_SIZE,
        ...(areaCode !== undefined && { AreaCode: areaCode }),
      },
    });
    // Twilio has no resource for a country without local numbers.
    if (answer.status === STATUS_NOT_FOUND) return [];
    if (!answer.isOk) throw this.#failed(answer);
    const { available_phone_numbers: numbers } = this.#http.read(AvailableNumbers, answer);
    return numbers.map((number) => ({
      phone_number: number.phone_number,
      country_code: number.iso_country ?? countryCode,
      locality: number.locality ?? '',
      region: number.region ?? '',
    }));
  }

  async hasNumber(phoneNumber: string): Promise<boolean> {
    return (await this.#sidOf(phoneNumber)) !== undefined;
  }

  async buy(phoneNumber: string, urls: VoiceUrls): Promise<void> {
    const answer = await this.#http.send({
      method: 'POST',
      path: `${this.#account}/IncomingPhoneNumbers.json`,
      form: [
        ['PhoneNumber', phoneNumber],
        ['VoiceUrl', urls.voice],
        ['VoiceMethod', 'POST'],
        ['StatusCallback', urls.status],
        ['StatusCallbackMethod', 'POST'],
      ],
    });
    if (!answer.isOk) throw this.#failed(answer);
  }

  async release(phoneNumber: string): Promise<void> {
    const sid = await this.#sidOf(phoneNumber);
    if (sid === undefined) return;
    const answer = await this.#http.send({
      method: 'DELETE',
      path: `${this.#account}/IncomingPhoneNumbers/${encodeURIComponent(sid)}.json`,
    });
    if (!answer.isOk && answer.status !== STATUS_NOT_FOUND) throw this.#failed(answer);
  }

  async #sidOf(phoneNumber: string): Promise<string | undefined> {
    const answer = await this.#http.send({
      method: 'GET',
      path: `${this.#account}/IncomingPhoneNumbers.json`,
      query: { PhoneNumber: phoneNumber },
    });
    if (!answer.isOk) throw this.#failed(answer);
    return this.#http.read(OwnedNumbers, answer).incoming_phone_numbers[0]?.sid;
  }

  #failed(answer: CarrierResponse): ApiError {
    const { code, message } = Failure.safeParse(answer.body).data ?? {};
    if (code !== undefined && UNAVAILABLE_CODES.has(code)) {
      return new ApiError(
        'PHONE_NUMBER_IN_USE',
        'The phone number is not available at Twilio: select another one',
      );
    }
    return this.#http.failed(answer, message);
  }
}
