import { z } from 'zod';

const Words = z.record(z.string(), z.string());
const OneAndMany = z.record(z.string(), z.tuple([z.string(), z.string()]));
/** Word lists of the English normaliser, from a JSON file of the voice. Units and currencies are [singular, plural]. */
export const NormaliserTables = z.object({
  months: Words,
  titles: Words,
  abbreviations: Words,
  units: OneAndMany,
  symbols: Words,
  currency: OneAndMany,
  roman_cardinal: z.array(z.string()),
  roman_ordinal: z.array(z.string()),
});

export type NormaliserTables = z.infer<typeof NormaliserTables>;
