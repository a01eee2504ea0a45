import {
  int,
  list,
  model,
  oneOf,
  phoneNumber,
  str,
} from '../../platform/http/validation/schema-builders.js';
import { PROVIDERS } from './carrier.js';

const provider = () => oneOf(PROVIDERS).default('twilio');

export const SearchNumbers = model({
  country_code: str({ pattern: /^[A-Za-z]{2}$/, description: 'ISO 3166-1.' }).default('US'),
  area_code: str({ pattern: /^\d{3}$/ })
    .nullable()
    .optional(),
  provider: provider(),
}).meta({ id: 'SearchNumbers' });

export const AvailableNumberList = model({
  results: list(
    model({ phone_number: str(), country_code: str(), locality: str(), region: str() }).meta({
      id: 'PhoneNumberResult',
    }),
  ),
  total_results: int(),
}).meta({ id: 'FoundNumbers' });

export const NumberChoice = model({
  phone_number: phoneNumber(),
  provider: provider(),
}).meta({ id: 'NumberChoice' });

export const NumberSelection = model({
  phone_number: str(),
  status: oneOf(['selected', 'released']),
}).meta({ id: 'ChosenNumber' });

export const NumberList = model({
  phone_numbers: list(
    model({
      phone_number: str(),
      status: oneOf(['available', 'assigned']),
      assigned_to_agent_id: str().nullable().optional(),
      assigned_to_agent_name: str().nullable().optional(),
    }).meta({ id: 'OwnPhoneNumber' }),
  ),
  total_numbers: int(),
  total_available: int(),
  total_assigned: int(),
}).meta({ id: 'NumberList' });
