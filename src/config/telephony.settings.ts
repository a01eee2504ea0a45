import { z } from 'zod';
import { allOrNone, baseUrl, headerKey, host, list, url, wholeNumber } from './setting-types.js';

/** A phone number, a prefix of phone numbers followed by `*`, or `short`. */
const BLOCKLIST_PATTERN = /^(short|\+[1-9]\d{0,14}\*?)$/;

/**
 * Numbers that agents never call by default: short numbers, which include the emergency numbers of
 * every country; emergency numbers with a country code; premium-rate and satellite numbers.
 * Source: the national numbering plans; ITU-T E.164 annexes for +8…, +979.
 */
export const DEFAULT_BLOCKLIST: readonly string[] = [
  'short',
  // emergencies, written with and without a country code
  ...['+112', '+911', '+999', '+1911', '+44999', '+44112', '+49110', '+49112', '+3315', '+33112'],
  // premium rates: North America, United Kingdom, Ireland
  ...['+1900*', '+449*', '+44871*', '+44872*', '+44873*', '+4470*', '+35315*'],
  // Germany, Austria, Switzerland, France, Belgium, the Netherlands
  ...['+49900*', '+49137*', '+43900*', '+43901*', '+43930*', '+43931*'],
  ...['+41900*', '+41901*', '+41906*', '+3389*', '+3290*', '+31900*', '+31906*', '+31909*'],
  // Spain, Portugal, Italy, Poland, Sweden, Russia, Australia
  ...['+34803*', '+34806*', '+34807*', '+34905*', '+34907*', '+351760*', '+351761*', '+351762*'],
  ...['+39892*', '+39894*', '+39895*', '+39899*', '+4870*', '+46900*', '+46939*', '+46944*'],
  ...['+7803*', '+7809*', '+6119*'],
  // satellites, international networks and international premium rate
  ...['+870*', '+881*', '+882*', '+883*', '+979*'],
];

/** Carriers, Asterisk and LiveKit. */
export const TelephonySettings = z
  .object({
    TWILIO_ACCOUNT_SID: z
      .string()
      .regex(/^AC\w{1,64}$/, "an account's SID (AC…)")
      .optional()
      .meta({ description: 'Account SID of Twilio, for phone numbers and calls.' }),
    TWILIO_AUTH_TOKEN: z.string().optional().meta({ description: 'Auth token of Twilio.' }),
    TWILIO_BASE_URL: baseUrl().default('https://api.twilio.com').meta({
      description: "URL of Twilio's REST API.",
    }),
    TELNYX_API_KEY: headerKey().optional().meta({
      description: 'API key of Telnyx, for phone numbers.',
    }),
    TELNYX_BASE_URL: baseUrl().default('https://api.telnyx.com').meta({
      description: "URL of Telnyx's REST API.",
    }),
    AUDIOSOCKET_PORT: wholeNumber(0, 65_535, 'a port from 0 to 65535 (0 = any free one)')
      .optional()
      .meta({
        defaultText: 'off',
        description: 'TCP port for calls from Asterisk over AudioSocket. 0 selects any free port.',
      }),
    AUDIOSOCKET_HOST: host().default('127.0.0.1').meta({
      description:
        'Address of the AudioSocket port. Use an address of a private network: the only credential of a connection is the UUID of its call.',
    }),
    OUTBOUND_REFUSED_NUMBERS: list()
      .refine(
        (items) => items.every((item) => BLOCKLIST_PATTERN.test(item)),
        'a comma list of numbers such as +1911, prefixes such as +1900*, and the word short',
      )
      .default([...DEFAULT_BLOCKLIST])
      .meta({
        defaultText: 'emergency, premium-rate and satellite numbers',
        description:
          'Numbers that agents never call: numbers such as `+1911`, prefixes such as `+1900*`, and `short` for all numbers with fewer than seven digits. The default list is `DEFAULT_BLOCKLIST` in `src/config/telephony.settings.ts`.',
      }),
    LIVEKIT_URL: url(['ws:', 'wss:', 'http:', 'https:'], 'a ws, wss, http or https URL')
      .transform((text) => text.replace(/^http/, 'ws').replace(/\/+$/, ''))
      .optional()
      .meta({
        description:
          'LiveKit server for calls in rooms, such as `wss://livekit.example.org`. Needs `LIVEKIT_API_KEY` and `LIVEKIT_API_SECRET`.',
      }),
    LIVEKIT_API_KEY: z.string().optional().meta({ description: 'API key of the LiveKit server.' }),
    LIVEKIT_API_SECRET: z.string().optional().meta({
      description: 'API secret of the LiveKit server.',
    }),
  })
  .refine(...allOrNone('LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'));
export type TelephonySettings = z.output<typeof TelephonySettings>;
