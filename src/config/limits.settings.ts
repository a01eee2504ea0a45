import { z } from 'zod';
import { limit, wholeNumber } from './setting-types.js';

/** Limits of requests, calls, speech and files. */
export const LimitSettings = z.object({
  TEXT_LIMIT: wholeNumber(1, 1_000_000, 'a whole number from 1 to 1000000').default(5_000).meta({
    unit: 'characters',
    description: 'Longest text that can be synthesised.',
  }),
  REQUESTS_PER_MINUTE: limit().default(1_000).meta({
    unit: 'per minute',
    description:
      'Requests of an account, including opened sockets. Call sockets are counted per address until their `hello`. 0 = no limit.',
  }),
  FAILED_AUTHS_PER_MINUTE: limit().default(20).meta({
    unit: 'per minute',
    description:
      'Wrong keys, wrong call tokens and calls that do not exist, per address. 0 = no limit.',
  }),
  MAX_CONNECTIONS: limit().default(10_000).meta({
    description:
      'Open connections of a gateway, including sockets. Further connections are closed at once. 0 = no limit.',
  }),
  CONCURRENT_CALLS: limit().default(100).meta({
    description: 'Concurrent calls of an account. 0 = no limit.',
  }),
  CONCURRENT_SPEECH: limit().default(64).meta({
    description: 'Texts that a gateway synthesises at the same time. 0 = no limit.',
  }),
  CONCURRENT_SPEECH_PER_ACCOUNT: limit().default(48).meta({
    description: 'Texts of one account that a gateway synthesises at the same time. 0 = no limit.',
  }),
  MAX_BODY_BYTES: wholeNumber(1_024, 1_073_741_824, 'a number of bytes from 1024')
    .default(1_048_576)
    .meta({ unit: 'bytes', description: 'Largest request body.' }),
  DICTIONARY_FILE_BYTES: wholeNumber(1_024, 104_857_600, 'a number of bytes from 1024')
    .default(1_048_576)
    .meta({ unit: 'bytes', description: 'Largest PLS file.' }),
  DICTIONARY_RULES: wholeNumber(1, 100_000, 'a whole number from 1 to 100000')
    .default(10_000)
    .meta({ description: 'Rules of a dictionary.' }),
  DICTIONARY_WORD_LENGTH: wholeNumber(1, 1_000, 'a whole number from 1 to 1000')
    .default(200)
    .meta({ unit: 'characters', description: 'Longest word of a dictionary rule.' }),
  DICTIONARY_REPLACEMENT_LENGTH: wholeNumber(1, 5_000, 'a whole number from 1 to 5000')
    .default(500)
    .meta({ unit: 'characters', description: 'Longest replacement of a dictionary rule.' }),
  KNOWLEDGE_FILE_BYTES: wholeNumber(1_024, 104_857_600, 'a number of bytes from 1024')
    .default(20_971_520)
    .meta({ unit: 'bytes', description: 'Largest file of a knowledge base.' }),
  PHONE_NUMBER_LIMIT: limit().default(10).meta({
    description: 'Phone numbers of an account. 0 = no limit.',
  }),
});
export type LimitSettings = z.output<typeof LimitSettings>;
