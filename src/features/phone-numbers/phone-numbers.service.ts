import { ApiError } from '../../platform/http/api-error.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import type { AvailableNumber, Carrier, NumberSearch, Provider } from './carrier.js';
import type { NumberOrder, OwnNumber, PhoneNumbersRepository } from './phone-numbers.repository.js';

/** Provisions phone numbers in a SIP service. */
export interface NumberProvisioner {
  /** Idempotent, never throws. */
  provisionNumber(phoneNumber: string): Promise<void>;
  /** Idempotent, never throws. */
  deprovisionNumber(phoneNumber: string): Promise<void>;
}

export interface PhoneNumberServiceParts {
  readonly repository: PhoneNumbersRepository;
  readonly carriers: { get(provider: Provider): Carrier };
  /** `http(s)://host[:port]` at which a carrier reaches this gateway; undefined if unknown. */
  readonly origin: () => string | undefined;
  /** Set if LiveKit SIP is configured. */
  readonly provisioner?: NumberProvisioner | undefined;
}

/** Searches, orders and releases the numbers of accounts. */
export class PhoneNumberService {
  readonly #parts: PhoneNumberServiceParts;

  constructor(parts: PhoneNumberServiceParts) {
    this.#parts = parts;
  }

  /** @throws ApiError PROVIDER_ERROR */
  search(provider: Provider, search: NumberSearch): Promise<readonly AvailableNumber[]> {
    return this.#parts.carriers.get(provider).search(search);
  }

  /** The numbers that the account has selected, newest first. */
  list(accountId: string): Promise<readonly OwnNumber[]> {
    return this.#parts.repository.list(accountId);
  }

  /**
   * Reserves the number, then orders it. Selecting an own number again changes nothing.
   * @throws ApiError PHONE_NUMBER_LIMIT, PHONE_NUMBER_IN_USE, PROVIDER_ERROR, PUBLIC_URL_REQUIRED
   */
  async select(order: NumberOrder): Promise<void> {
    const { repository, carriers } = this.#parts;
    const carrier = carriers.get(order.provider);
    const urls = this.#voiceUrls(order.provider);
    const placed = await repository.reserve(order);
    if (placed === 'held') return;
    if (placed === 'taken') {
      throw new ApiError(
        'PHONE_NUMBER_IN_USE',
        'The phone number belongs to an account already: select another one',
      );
    }
    if (placed === 'limit-reached') {
      const sentence = 'The account has reached its limit of phone numbers: release a number first';
      throw new ApiError('PHONE_NUMBER_LIMIT', sentence);
    }
    try {
      const isBought = placed === 'again' && (await carrier.hasNumber(order.phoneNumber));
      if (!isBought) await carrier.buy(order.phoneNumber, urls);
    } catch (error) {
      await this.#cancelUnlessBought(carrier, order);
      throw error;
    }
    await repository.confirm(order.phoneNumber);
    await this.#parts.provisioner?.provisionNumber(order.phoneNumber);
  }

  /** @throws ApiError PHONE_NUMBER_NOT_FOUND, PHONE_NUMBER_IN_USE by a deployed agent, PROVIDER_ERROR */
  async release(order: NumberOrder): Promise<void> {
    const { repository, carriers } = this.#parts;
    const releasable = await repository.beginRelease(order);
    if (releasable.type === 'none') {
      throwNotFound('phone number');
    }
    if (releasable.type === 'deployed') {
      const sentence = `The deployed agent ${releasable.agentId} has this number: pause it first`;
      throw new ApiError('PHONE_NUMBER_IN_USE', sentence);
    }
    try {
      await carriers.get(order.provider).release(order.phoneNumber);
    } catch (error) {
      await repository.cancelRelease(order.phoneNumber, releasable.wasAssigned);
      throw error;
    }
    // Before `remove`: afterwards another account may provision the number.
    await this.#parts.provisioner?.deprovisionNumber(order.phoneNumber);
    await repository.remove(order);
  }

  /**
   * An order without a response may have succeeded. Until that is known, the number stays reserved;
   * selecting the number again checks it.
   */
  async #cancelUnlessBought(carrier: Carrier, order: NumberOrder): Promise<void> {
    const isBought = await carrier.hasNumber(order.phoneNumber).catch(() => undefined);
    if (isBought === false) await this.#parts.repository.remove(order);
  }

  #voiceUrls(provider: Provider) {
    const origin = this.#parts.origin();
    if (origin === undefined) {
      throw new ApiError(
        'PUBLIC_URL_REQUIRED',
        'The carrier needs a URL of this gateway for calls: set PUBLIC_URL',
      );
    }
    const base = `${origin}/telephony/${provider}`;
    return { voice: `${base}/voice`, status: `${base}/status` };
  }
}
